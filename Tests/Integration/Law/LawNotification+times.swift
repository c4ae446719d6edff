extension LawNotification {
    var requestedAt: Int64? { requests.first?.at }
    var scheduledFor: Int64? { requests.compactMap { $0["scheduled_for"]?.integer }.min() }
    var deliveredAt: Int64? {
        events.filter { $0.kind != "request" }.compactMap { $0["delivered_at"]?.integer }.min()
    }
    var deliveryAt: Int64? { deliveries.first?.at }
    /// The first delivery that is not a sweep of the delivered list, whose time is the sweep's.
    var arrivedAt: Int64? { deliveries.first { $0["source"] != "delivered_list" }?.at }
    var presentationAt: Int64? { presentations.first?.at }
    var respondedAt: Int64? { responses.first?.at }
    var dismissedAt: Int64? { dismissals.first?.at }

    /// The moment it is counted under; nil where it is known only by a removal or the answer to a push.
    var cohortAt: Int64? {
        scheduledFor ?? requestedAt ?? deliveredAt ?? deliveryAt ?? presentationAt ?? respondedAt ?? dismissedAt
    }

    /// From when on the time to an action runs.
    var shownAt: Int64? {
        let push = requests.contains { $0["trigger", "type"] == "push" || $0["origin"] == "provider" }
        return deliveredAt ?? arrivedAt ?? presentationAt ?? scheduledFor ?? (push ? requestedAt : nil)
    }
}
