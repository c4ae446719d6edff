internal import Foundation
internal import NIOCore

extension DeliverySettings {
    /// Why a receiver would never get anything; nil if it may. Names are looked up when something is delivered, and what they lead to
    /// is checked then: it may change.
    ///
    /// - Parameter receiver: as ``Receiver/init(_:)`` reads it.
    public func refusal(of receiver: String) -> String? {
        let address: WebhookAddress
        switch Receiver(receiver) {
        case .webhook(let url)?, .slack(let url)?: address = url
        case .mail?: return nil
        case nil: return Receiver.accepted
        }
        guard !allowsPrivate else { return nil }
        let fault =
            if !address.isSecure {
                "is not https"
            } else if address.isPrivate {
                "leads to a private address"
            } else {
                nil as String?
            }
        return fault.map {
            "the receiver \(address.shown) \($0): choose another, or allow it with delivery.private_receivers=true"
        }
    }

    /// What has to be set before anything is delivered to receivers; nothing if all is. Another service may have it set.
    ///
    /// - Parameter receivers: as ``Receiver/init(_:)`` reads them.
    public func lacks(for receivers: [String]) -> [String] {
        let kinds = receivers.map { Receiver($0) }
        var lacks: [String] = []
        if mail.host == nil, kinds.contains(where: { if case .mail? = $0 { true } else { false } }) {
            lacks.append("mail is not delivered without mail.host: set it and mail.from for the service")
        }
        if secret == nil, kinds.contains(where: { if case .webhook? = $0 { true } else { false } }) {
            lacks.append("webhooks are not delivered unsigned: set delivery.webhook_secret for the service")
        }
        return lacks
    }
}

extension WebhookAddress {
    /// Whether its host is this machine, or an address of a private network.
    fileprivate var isPrivate: Bool {
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let bytes = Self.bytes(name) { return SocketAddress.isPrivate4(bytes) }
        return (try? SocketAddress(ipAddress: host, port: port))?.isPrivate ?? false
    }

    /// The address of version 4 that is written so; nil if it is none. Where names are looked up, `127.1`, `0x7f.1`, `0177.0.0.1`
    /// and `2130706433` are 127.0.0.1: what reads them there reads them here.
    private static func bytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4)
        let isAddress = bytes.withUnsafeMutableBytes {
            $0.withMemoryRebound(to: in_addr.self) { inet_aton(text, $0.baseAddress) != 0 }
        }
        return isAddress ? bytes : nil
    }
}
