import NIOCore
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
            "https://example.com:0/",
        ]
    )
    func noReceivers(_ text: String) {
        #expect(Receiver(text) == nil)
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
