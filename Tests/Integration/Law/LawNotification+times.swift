extension LawNotification {
    var requestedAt: Int64? { requests.first?.at }
    var scheduledFor: Int64? { requests.compactMap { $0.time("scheduled_for") }.min() }
    var deliveredAt: Int64? {
        events.filter { $0.kind != "request" }.compactMap { $0.time("delivered_at") }.min()
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
        deliveredAt ?? arrivedAt ?? presentationAt ?? scheduledFor ?? (isPush ? requestedAt : nil)
    }

    /// Whether a provider sent it, as far as its requests tell.
    var isPush: Bool { requests.contains(where: goesAsPush) }

    private func goesAsPush(_ request: LawEvent) -> Bool {
        request["trigger", "type"] == "push" || request["origin"] == "provider" || request["push"] != nil
    }

    /// Whether anybody can know when it fires.
    var isDueKnown: Bool {
        requests.contains { request in
            guard request["error"] == nil else { return false }
            return goesAsPush(request) || request["scheduled_for"] != nil
                || !["location", "calendar"].contains(request["trigger", "type"]?.string)
        }
    }
}
