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

    /// - Parameters:
    ///   - id: names the message, so that a repeat is known by its Message-ID.
    ///   - text: lines of plain text.
    /// - Throws: ``DeliveryFailure``.
    func send(id: String, to address: String, subject: String, text: [String], at now: Date = Date()) async throws {
        let peer = Conversation.Peer(host: host, port: port, isSecure: security == .implicit, allowsPrivate: true)
        let message = Self.message(id: id, from: from, to: address, subject: subject, text: text, at: now)
        try await Conversation.with(peer, tls: tls, seconds: seconds) { conversation in
            try await conversation.expect(220)
            var abilities = try await conversation.command("EHLO notilog", 250)
            if security == .starttls {
                guard abilities.contains("STARTTLS") else {
                    throw DeliveryFailure("the mail server offers no STARTTLS, and mail.tls wants it")
                }
                try await conversation.command("STARTTLS", 220)
                try await conversation.secure()
                abilities = try await conversation.command("EHLO notilog", 250)
            }
            if let user, let password {
                let login = Data("\0\(user)\0\(password)".utf8).base64EncodedString()
                try await conversation.command("AUTH PLAIN \(login)", 235)
            }
            try await conversation.command("MAIL FROM:<\(from)>", 250)
            try await conversation.command("RCPT TO:<\(address)>", 250)
            try await conversation.command("DATA", 354)
            try await conversation.send(message)
            try await conversation.command(".", 250)
            // It is accepted; how the server takes leave no longer matters.
            try? await conversation.send("QUIT\r\n")
        }
    }

    /// The message (RFC 5322), its text in base64, in which no line can be taken for an end.
    static func message(
        id: String,
        from: String,
        to address: String,
        subject: String,
        text: [String],
        at now: Date
    ) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        let body = Data(text.joined(separator: "\r\n").utf8)
            .base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
        // A word of RFC 2047 has 75 characters at most: 42 bytes are 56 in base64.
        var words: [String] = []
        var rest = Substring(subject)
        while !rest.isEmpty {
            var part = rest
            while part.utf8.count > 42 { part.removeLast() }
            if part.isEmpty { part = rest.prefix(1) }
            words.append("=?utf-8?B?\(Data(part.utf8).base64EncodedString())?=")
            rest = rest.dropFirst(part.count)
        }
        return [
            "Message-ID: <\(id)@notilog>", "Date: \(formatter.string(from: now))", "From: <\(from)>",
            "To: <\(address)>",
            "Subject: \(words.joined(separator: "\r\n "))", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "", body, "",
        ].joined(separator: "\r\n")
    }
}

extension Conversation {
    /// Sends a command of SMTP, and reads its reply.
    ///
    /// - Returns: the reply's lines without their codes, in capitals.
    @discardableResult
    fileprivate mutating func command(_ text: String, _ code: Int) async throws -> [String] {
        try await send(text + "\r\n")
        return try await expect(code)
    }

    @discardableResult
    fileprivate mutating func expect(_ code: Int) async throws -> [String] {
        var lines: [String] = []
        while lines.count < 100 {
            let line = try await line()
            guard let found = Int(line.prefix(3)) else {
                throw DeliveryFailure("the mail server does not answer in SMTP")
            }
            guard found == code else {
                throw DeliveryFailure("the mail server answered with code \(found) instead of \(code)")
            }
            lines.append(line.dropFirst(4).uppercased())
            if line.dropFirst(3).first != "-" { return lines }
        }
        throw DeliveryFailure("the mail server's answer is too long")
    }
}
