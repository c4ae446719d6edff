import Foundation

extension Notilog {
    /// Adds a mark to a `userInfo`, for a request that the app is about to add and record with
    /// ``record(_:error:)-(Request,_)``.
    ///
    /// One notification has one id. If a request with the same identifier is still pending, or its notification is
    /// shown, the system replaces that one, so its id is used again. Otherwise a new id is created. Whether a
    /// notification is shown is known from ``sweepDelivered(of:)``, from responses and from removals. A notification
    /// that fired within the last hour counts as shown.
    ///
    /// - Parameters:
    ///   - userInfo: the request's `userInfo`. An existing id is replaced. The campaign and variant stay unless new
    ///     ones are given.
    ///   - identifier: the request's identifier.
    ///   - campaignID: the campaign of the notification.
    ///   - variant: the variant of an experiment.
    public func stamp(
        _ userInfo: [AnyHashable: Any],
        identifier: String,
        campaignID: String? = nil,
        variant: String? = nil
    ) -> [AnyHashable: Any] {
        var mark = Mark(campaignID: campaignID, variant: variant)
        _ = changeIndex { index, now in
            if let updated = index.updated(by: identifier, at: now) { mark.id = updated }
            return []
        }
        if let id = mark.id { mark.id = stamped.withLock { $0.id(identifier, at: options.clock.now, else: id) } }
        return mark.stamped(on: userInfo)
    }
}
