import Foundation

extension Notilog {
    /// Gives a `userInfo` its mark, for a request that is about to be added, and recorded with ``record(_:error:)-(Request,_)``.
    ///
    /// One notification has one id: under the identifier of a request that is still pending, or whose notification is shown,
    /// the system replaces that one, so its id is repeated. Otherwise a new id is made. Whether a notification is
    /// shown is known from ``sweepDelivered(of:)``, from responses and removals; one that fired within the last hour is taken
    /// to be.
    ///
    /// - Parameters:
    ///   - userInfo: the request's. An id that is there already is replaced; campaign and variant stay, unless they are given.
    ///   - identifier: the request's identifier.
    ///   - campaignID: the campaign that it belongs to.
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
