extension LawNotification {
    private func shows(_ presentation: LawEvent) -> Bool {
        presentation["surface"] != "foreground"
            || !Set(presentation["options"]?.strings ?? []).isDisjoint(with: ["alert", "list", "banner"])
    }

    private var hiding: [LawEvent] { presentations.filter { !shows($0) } }
    var wasShown: Bool { presentations.contains(where: shows) }
    var responded: Bool { !responses.isEmpty }
    var dismissed: Bool { !dismissals.isEmpty }
    /// Whether the device itself told of it.
    var seen: Bool { !deliveries.isEmpty || !presentations.isEmpty }

    var requested: Bool { requests.contains { $0["error"] == nil } }
    var delivered: Bool { seen || responded || dismissed }
    var presented: Bool { wasShown || responded || dismissed }

    var failed: Bool {
        let refused = requests.contains { $0["error"] != nil }
        let rejected = !pushResults.isEmpty && !pushResults.contains { $0["status"] == 200 }
        return (refused || rejected) && !delivered
    }

    private var hidden: Bool {
        let filtered = deliveries.contains { $0["extension", "outcome"] == "filtered" }
        return (!hiding.isEmpty || filtered) && !presented
    }

    private var sounded: Bool {
        hiding.contains { !Set($0["options"]?.strings ?? []).isDisjoint(with: ["badge", "sound"]) }
    }

    var silent: Bool { hidden && sounded }
    var suppressed: Bool { hidden && !sounded }

    var withdrawn: Bool {
        events("removal").contains { $0["state"] == "pending" && $0["reason"] != "replaced" } && !delivered
    }

    var responseOnly: Bool { (responded || dismissed) && !seen && requests.isEmpty }

    private var mayReach: Bool {
        asked.first?["alerting"] != false && !failed && !withdrawn && !hidden
    }

    var reachedSeen: Bool { mayReach && seen }
    var reachedAssumed: Bool {
        guard let cohortAt else { return false }
        return mayReach && !seen && requested && !devices.denied(device, at: cohortAt)
    }
    var reached: Bool { reachedSeen || reachedAssumed }
}
