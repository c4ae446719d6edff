extension LawNotification {
    /// The columns of an ending that the model knows; what a claim says, the reports that read it are held to.
    static let endingColumns = ["device_id", "notification_id", "occurrence", "removed_at", "gone_at"]

    private var removals: [LawEvent] {
        events("removal").filter { $0["state"] == "delivered" && $0["reason"] != "replaced" }
    }

    /// When the app took the delivered notification away, and when a sweep no longer found it.
    var removedAt: Int64? { removals.first { $0["reason"] != "gone" }?.at }
    var goneAt: Int64? { removals.first { $0["reason"] == "gone" }?.at }

    /// How it ended otherwise than by a person's hand; nil where it did not.
    /// The row of a push to a Live Activity that was accepted.
    var acceptedActivityPushRow: LawRow? {
        guard requests.contains(where: { $0["push", "push_type"] == "liveactivity" }),
            pushResults.contains(where: { $0["status"] == 200 })
        else { return nil }
        return keyRow
    }

    var endingRow: LawRow? {
        let isRejected = pushResults.contains { $0["status"] != 200 } || requests.contains { $0["error"] != nil }
        guard isRejected || !removals.isEmpty else { return nil }
        var row = keyRow
        row.set("removed_at", removedAt)
        row.set("gone_at", goneAt)
        return row
    }
}
