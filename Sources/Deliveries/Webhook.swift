internal import Foundation
internal import Hashing
internal import JSON
internal import NIOSSL
internal import NotificationEvents

/// Delivers by HTTP: a webhook with a signature (standardwebhooks.com), or the message that Slack takes. No redirect is followed.
struct Webhook: Sendable {
    let key: [UInt8]?
    let allowsPrivate: Bool
    let tls: NIOSSLContext
    let seconds: Int

    /// The bytes of a secret; nil if it is none.
    static func key(_ secret: String) -> [UInt8]? {
        guard secret.hasPrefix("whsec_"), let data = Data(base64Encoded: String(secret.dropFirst("whsec_".count))),
            (24...64).contains(data.count)
        else { return nil }
        return [UInt8](data)
    }

    /// - Parameters:
    ///   - json: the message, as it is sent.
    ///   - id: by which the receiver knows a repeat.
    ///   - createdAt: when what it says happened, the same in each attempt.
    /// - Throws: ``DeliveryFailure``.
    func deliver(
        _ message: any OutgoingMessage,
        json: String,
        id: String,
        createdAt: Timestamp,
        to receiver: Receiver
    ) async throws {
        switch receiver {
        case .webhook(let address):
            guard let key else { throw DeliveryFailure("webhooks are signed: set delivery.webhook_secret") }
            var body = JSONWriter(capacity: json.utf8.count + 100)
            body.object {
                $0.field("type", message.event)
                $0.field("timestamp", createdAt)
                $0.field("data", json: json)
            }
            let seconds = "\(Int64(Date().timeIntervalSince1970))"
            let signed = Array("\(id).\(seconds).".utf8) + body.bytes
            let signature = Data(SHA256.authenticationCode(of: signed, key: key)).base64EncodedString()
            try await post(
                body.bytes,
                to: address,
                [("webhook-id", id), ("webhook-timestamp", seconds), ("webhook-signature", "v1,\(signature)")]
            )
        case .slack(let address):
            var body = JSONWriter(capacity: 1024)
            body.object { $0.field("text", message.lines.map(\.escapedForSlack).joined(separator: "\n")) }
            try await post(body.bytes, to: address, [("webhook-id", id)])
        case .mail: throw DeliveryFailure("the receiver is not a URL")
        }
    }

    private func post(_ body: [UInt8], to address: WebhookAddress, _ headers: [(String, String)]) async throws {
        guard address.isSecure || allowsPrivate else {
            throw DeliveryFailure("the URL is not https, which delivery.private_receivers does not allow")
        }
        let fields = [
            ("Host", address.authority), ("User-Agent", "notilog"), ("Content-Type", "application/json"),
            ("Content-Length", "\(body.count)"), ("Connection", "close"),
        ]
        let head = (fields + headers).map { "\($0.0): \($0.1)\r\n" }.joined()
        let request = "POST \(address.path) HTTP/1.1\r\n\(head)\r\n" + String(decoding: body, as: UTF8.self)
        let peer = Conversation.Peer(
            host: address.host,
            port: address.port,
            isSecure: address.isSecure,
            allowsPrivate: allowsPrivate
        )
        let status = try await Conversation.with(peer, tls: tls, seconds: seconds) { conversation in
            try await conversation.send(request)
            while true {
                let line = try await conversation.line()
                guard line.hasPrefix("HTTP/1."),
                    let status = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
                else { throw DeliveryFailure("the receiver does not answer in HTTP/1.1") }
                if status >= 200 { return status }
                // An interim answer ends with an empty line (RFC 9110, section 15.2).
                while try await !conversation.line().isEmpty {}
            }
        }
        guard (200...299).contains(status) else { throw DeliveryFailure("the receiver answered with status \(status)") }
    }
}

extension String {
    /// Without what Slack would read as markup.
    fileprivate var escapedForSlack: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
