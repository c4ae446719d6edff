/// The verdict on a notification: what each link says and why, by asking its events.
struct LawVerdict {
    let one: LawNotification
    let tokens: LawTokens

    /// Each link's verdict and reason, in order.
    var links: [String] {
        [requested, provider, token] + (one.isAlerting ? [settings, delivery, presentation, response] : Self.silent)
    }

    private static let silent = Array(repeating: "not_applicable not_alerting", count: 4)

    private static let misdirections = [
        "rejected:BadDeviceToken", "rejected:DeviceTokenNotForTopic", "rejected:SENDER_ID_MISMATCH",
        "rejected:MismatchSenderId",
    ]

    private var answered: Bool { one.responded || one.dismissed }
    private var isAccepted: Bool { one.pushResults.contains { $0["status"] == 200 } }
    private var isLocal: Bool { !one.isPush && one.pushResults.isEmpty }

    private var requested: String {
        if one.requested { return "yes requested" }
        if let last = one.requests.last {
            return one.delivered ? "yes proven_later" : "no add_error:\(last["error"]?.string ?? "")"
        }
        return one.occurrence != nil && !one.schedule.isEmpty ? "yes repeating_request" : "unknown no_request"
    }

    private var refusal: String { FunnelModel.rejection(one) }

    private var provider: String {
        if isLocal { return "not_applicable local" }
        if isAccepted { return "yes accepted" }
        if one.delivered { return "yes proven_later" }
        return one.pushResults.isEmpty ? "unknown no_answer" : "no \(refusal)"
    }

    private var token: String {
        if isLocal { return "not_applicable local" }
        let ended = tokens.hasEnded(all: one, isReplaced: false)
        if one.delivered { return ended ? "yes proven_later" : "yes delivered" }
        if ended || !one.pushResults.isEmpty && !isAccepted && refusal == "dead_token" { return "no token_ended" }
        if !isAccepted, Self.misdirections.contains(refusal) { return "no token_misdirected" }
        if tokens.hasEnded(all: one) { return "unknown token_superseded" }
        if tokens.isMisdirected(all: one) { return "unknown token_misdirected" }
        let named = one.requests.map(\.token)
        if named.contains(where: { tokens.isAlive($0, for: one) }) { return "yes token_registered" }
        return named.isEmpty || named.contains(nil) ? "unknown token_not_named" : "unknown token_not_registered"
    }

    private var settings: String {
        let said = LawSettings(one)
        if one.isDenied {
            if one.withdrawn { return "not_applicable withdrawn" }
            let isProven = one.reachedSeen || one.suppressed || one.silent || answered
            return isProven ? "yes proven_later" : "no denied_since"
        }
        let reach = LawReach(one, LawTokens([]))
        if one.presented, [.none, .unknown].contains(reach) { return "yes proven_later" }
        if said["authorization_status"] == "not_determined" { return "unknown not_determined" }
        switch reach {
        case .none: return "unknown everything_off"
        case .unknown:
            let isSaid = one.cohortAt.map { one.devices.settings(of: one.device, at: $0) != nil } ?? false
            return isSaid ? "unknown settings_absent" : "unknown no_settings"
        case .summaryOnly: return "yes scheduled_summary"
        default: return "yes \(reach.rawValue)"
        }
    }

    private var delivery: String {
        if one.seen { return "yes delivered" }
        if one.delivered { return "yes proven_later" }
        if one.withdrawn { return "no withdrawn" }
        if one.deliveryObservable { return "no not_delivered" }
        return one.failed ? "unknown failed" : "unknown not_observable:no_extension"
    }

    private var presentation: String {
        if one.wasShown { return "yes presented" }
        if answered { return "yes proven_later" }
        if one.suppressed { return "no suppressed" }
        return one.silent ? "no silent" : "unknown not_observable:background"
    }

    private var response: String {
        if one.responded { return "yes \(one.opened ? "opened" : one.replied ? "replied" : "acted")" }
        return one.dismissed ? "no dismissed" : "unknown silence"
    }
}
