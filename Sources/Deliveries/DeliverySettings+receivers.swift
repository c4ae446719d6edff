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
