internal import Foundation
internal import NIOSSL

/// Delivers by mail: one message to one address over SMTP (RFC 5321), with STARTTLS (RFC 3207) and AUTH PLAIN (RFC 4954).
struct MailServer: Sendable {
    enum Security: String, Sendable {
        /// TLS after STARTTLS; without it nothing is sent
        case starttls
        /// TLS from the beginning
        case implicit
        /// No TLS
        case none
    }

    let host: String
    let port: Int
    let security: Security
    let user: String?
    let password: String?
    let from: String
    let tls: NIOSSLContext
    let seconds: Int

    /// How long a server may take to accept a whole mail, which it may scan first. What is given up sooner is sent again,
    /// though the server may have accepted it (RFC 5321, section 4.5.3.2.6).
    ///
    /// - Parameter seconds: the time limit of all before.
    static func acceptanceSeconds(_ seconds: Int) -> Int { max(60, seconds) }

    private var peer: Conversation.Peer {
        Conversation.Peer(host: host, port: port, isSecure: security == .implicit, allowsPrivate: true)
    }

    /// - Parameter id: names the message, so that a repeat is known by its Message-ID.
    /// - Throws: ``DeliveryFailure``.
    func send(_ message: any OutgoingMessage, id: String, to address: String, at now: Date = Date()) async throws {
        let mail = Mail(
            id: id,
            from: from,
            to: address,
            subject: message.subject,
            text: message.lines,
            page: message.page
        ).message(at: now)
        try await Conversation.with(peer, tls: tls, seconds: seconds) { conversation in
            try await greet(&conversation)
            try await conversation.command("MAIL FROM:<\(from)>", 250, of: "MAIL FROM")
            // 251: it forwards the mail to where the address is now.
            try await conversation.command("RCPT TO:<\(address)>", 250, 251, of: "RCPT TO")
            try await conversation.command("DATA", 354, of: "DATA")
            try await conversation.send(mail)
            conversation.allow(seconds: Self.acceptanceSeconds(seconds))
            try await conversation.command(".", 250, of: "the mail")
            // It is accepted; how the server takes leave no longer matters.
            try? await conversation.send("QUIT\r\n")
        }
    }

    /// Connects, authenticates where credentials are set, and ends the conversation: what a check asks for.
    func greet() async throws(DeliveryFailure) {
        try await Conversation.with(peer, tls: tls, seconds: seconds) { conversation in
            try await greet(&conversation)
            try? await conversation.send("QUIT\r\n")
        }
    }

    private func greet(_ conversation: inout Conversation) async throws {
        try await conversation.expect(220, of: "the connection")
        var abilities = try await conversation.command("EHLO notilog", 250, of: "EHLO")
        if security == .starttls {
            guard abilities.contains("STARTTLS") else {
                throw DeliveryFailure("the mail server offers no STARTTLS, and mail.tls wants it")
            }
            try await conversation.command("STARTTLS", 220, of: "STARTTLS")
            try await conversation.secure()
            abilities = try await conversation.command("EHLO notilog", 250, of: "EHLO")
        }
        if let user, let password {
            let login = Data("\0\(user)\0\(password)".utf8).base64EncodedString()
            try await conversation.command("AUTH PLAIN \(login)", 235, of: "AUTH PLAIN")
        }
    }
}

extension DeliveryFailure {
    /// A mail server answered with another code than those that let the delivery go on.
    ///
    /// - Parameter name: what it answered, without an address or a password.
    init(answer code: Int, to name: String, expected codes: [Int]) {
        let expected = codes.map(String.init).joined(separator: " or ")
        self.init("the mail server answered \(name) with code \(code), not \(expected)")
    }
}

extension Conversation {
    /// Sends a command of SMTP, and reads its reply.
    ///
    /// - Parameter name: the command as a failure names it, without an address or a password.
    /// - Returns: the reply's lines without their codes, in capitals.
    @discardableResult
    fileprivate mutating func command(
        _ text: String,
        _ code: Int,
        _ other: Int? = nil,
        of name: String
    ) async throws -> [String] {
        try await send(text + "\r\n")
        return try await expect(code, other, of: name)
    }

    @discardableResult
    fileprivate mutating func expect(_ code: Int, _ other: Int? = nil, of name: String) async throws -> [String] {
        var lines: [String] = []
        while lines.count < 100 {
            let line = try await line()
            guard let found = Int(line.prefix(3)) else {
                throw DeliveryFailure("the mail server does not answer in SMTP")
            }
            guard found == code || found == other else {
                throw DeliveryFailure(answer: found, to: name, expected: [code, other].compactMap { $0 })
            }
            lines.append(line.dropFirst(4).uppercased())
            if line.dropFirst(3).first != "-" { return lines }
        }
        throw DeliveryFailure("the mail server's answer is too long")
    }
}
