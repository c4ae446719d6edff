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
        let refused = !requests.isEmpty && requests.allSatisfy { $0["error"] != nil }
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

    /// Whether it was taken back while it was pending, after it was last asked for.
    var withdrawn: Bool {
        let asked = requests.filter { $0["error"] == nil }.map(\.at).max() ?? .min
        return !delivered
            && events("removal").contains { $0["state"] == "pending" && $0["reason"] != "replaced" && $0.at >= asked }
    }

    var responseOnly: Bool { (responded || dismissed) && !seen && requests.isEmpty }

    /// Whether it makes itself noticed: as who asked for it says, else the first delivery that does.
    var isAlerting: Bool {
        guard let request = asked.first else {
            return deliveries.first { $0["alerting"] != nil }?["alerting"] != false
        }
        return request["alerting"] != false && ["alert", nil].contains(request["push", "push_type"]?.string)
    }

    private var mayReach: Bool { isAlerting && !failed && !withdrawn && !hidden }

    var isDenied: Bool { cohortAt.map { devices.denied(device, at: $0) } ?? false }

    /// Whether the device told of it otherwise than by having been woken.
    private var witnessed: Bool {
        !presentations.isEmpty || deliveries.contains { $0["source"] != "background_wake" }
    }

    var reachedSeen: Bool { mayReach && seen && (witnessed || !isDenied) }
    private var mayHaveReached: Bool { mayReach && !seen && requested && !isDenied }
    var reachedAssumed: Bool { mayHaveReached && isDueKnown }
    /// Nobody can know whether it ever fired.
    var reachUnknown: Bool { mayHaveReached && !isDueKnown }
    var reached: Bool { reachedSeen || reachedAssumed }
}
