import NIOCore
import Settings
import Testing

@testable import Deliveries

@Suite("Deliveries: to whom")
struct ReceiverTests {
    @Test(
        "a receiver is shown without the path of its URL",
        arguments: [
            ("https://example.com/secret?x=1", "https://example.com/…"), ("http://[::1]:8080/x", "http://[::1]:8080/…"),
            ("slack:https://hooks.slack.com/services/T/B/x", "slack:https://hooks.slack.com/…"),
            ("mailto:ops@example.com", "mailto:ops@example.com"),
        ]
    )
    func receivers(_ text: String, _ shown: String) throws {
        #expect(try #require(Receiver(text)).shown == shown)
    }

    @Test(
        "what is no receiver is refused, and what would end a line of a request or of a mail",
        arguments: [
            "", "example.com", "ftp://example.com/", "https://user:secret@example.com/", "https://example.com/a b",
            "https:///x",
            "https://example.com/\r\nX: y", "mailto:ops", "mailto:a@b\r\nRCPT TO:<c@d>", "mailto:a b@c",
            "slack:mailto:a@b",
            "https://example.com:0/", "https://example.com%0d%0aX:y/", "https://example.com%20x/", "https://%2f/",
        ]
    )
    func noReceivers(_ text: String) {
        #expect(Receiver(text) == nil)
    }

    private func settings(_ options: [String: String] = [:]) async throws -> DeliverySettings {
        DeliverySettings(try await SettingsReader(options: options, environment: [:], file: nil))
    }

    @Test(
        "a receiver that would never get anything is refused, without what its path says",
        arguments: [
            ("http://ops.example.com/secret", "http://ops.example.com/… is not https"),
            ("https://169.254.169.254/secret", "https://169.254.169.254/… leads to a private address"),
            ("https://[::1]:8443/secret", "leads to a private address"),
            ("slack:https://LOCALHOST/secret", "leads to a private address"),
            ("https://localhost./secret", "leads to a private address"),
            ("https://127.1/secret", "https://127.1/… leads to a private address"),
            ("https://0x7f.1/secret", "leads to a private address"),
            ("https://2130706433/secret", "leads to a private address"),
            ("https://0177.0.0.1/secret", "leads to a private address"),
            ("https://0xA9FEA9FE/secret", "leads to a private address"),
            ("slack:https://127%2e1/secret", "leads to a private address"),
            ("https://10.0.0.1./secret", "leads to a private address"),
        ]
    )
    func refused(_ text: String, _ said: String) async throws {
        let refusal = try await settings().refusal(of: text)
        #expect(refusal?.contains(said) == true && refusal?.contains("secret") == false, "\(refusal ?? "")")
        #expect(refusal?.contains("delivery.private_receivers") == true)
        #expect(try await settings(["delivery.private_receivers": "true"]).refusal(of: text) == nil)
    }

    @Test(
        "others are not, and names are not looked up",
        arguments: [
            "https://ops.example.com/hook", "https://1.1.1.1/", "https://1.1/", "https://127.1.example.com/",
            "mailto:ops@example.com",
        ]
    )
    func notRefused(_ text: String) async throws {
        #expect(try await settings().refusal(of: text) == nil)
    }

    @Test("what deliveries lack is said")
    func lacks() async throws {
        let receivers = ["https://ops.example.com/hook", "mailto:ops@example.com", "slack:https://hooks.example.com/x"]
        let lacks = try await settings().lacks(for: receivers)
        #expect(lacks.count == 2 && lacks[0].contains("mail.host") && lacks[1].contains("delivery.webhook_secret"))
        let all = ["mail.host": "mail.example.com", "delivery.webhook_secret": "whsec_x"]
        #expect(try await settings(all).lacks(for: receivers).isEmpty)
        #expect(try await settings().lacks(for: ["slack:https://hooks.example.com/x"]).isEmpty)
    }

    @Test(
        "addresses of this machine and of private networks are known",
        arguments: [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1", "::1", "::", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "ff02::1",
        ]
    )
    func privateAddresses(_ text: String) throws {
        #expect(try SocketAddress(ipAddress: text, port: 1).isPrivate)
    }

    @Test(
        "addresses of the Internet are not private",
        arguments: ["93.184.216.34", "172.32.0.1", "2606:4700::1", "::ffff:8.8.8.8"]
    )
    func publicAddresses(_ text: String) throws {
        #expect(try !SocketAddress(ipAddress: text, port: 1).isPrivate)
    }

    @Test("a secret of Standard Webhooks is read")
    func secrets() {
        #expect(Webhook.key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")?.count == 24)
        #expect(Webhook.key("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") == nil && Webhook.key("whsec_abcd") == nil)
    }
}
