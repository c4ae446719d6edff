/// The rollup `repeated`: requests beyond the first received of their notification, callbacks beyond the first received of
/// their press, by when the server received them.
///
/// Each event counts, and what was received first counts no longer.
package struct RepeatedRollup: Sendable {
    package struct Key: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var kind: Kind
    }

    package enum Kind: UInt8, Sendable { case request, response }

    package private(set) var counts = Sums<Key>()

    package init() {}

    /// Counts an event of the batch.
    package mutating func add(_ event: Event, app: Int32) throws(FoldError) {
        switch event.kind {
        case .request where !event.repeats: try add(event.receivedAt, .request, app, 1)
        case .response where !event.flags.contains(.inExtension): try add(event.receivedAt, .response, app, 1)
        default: break
        }
    }

    /// Moves the first request of a notification.
    package mutating func moveFirst(from old: Moment, to new: Moment, app: Int32) throws(FoldError) {
        try add(old, .request, app, 1)
        try add(new, .request, app, -1)
    }

    /// Moves the first callback of an action.
    package mutating func add(_ change: ActionChange, app: Int32) throws(FoldError) {
        try add(change.before?.pressReceivedAt ?? .none, .response, app, 1)
        try add(change.after.pressReceivedAt, .response, app, -1)
    }

    private mutating func add(_ at: Moment, _ kind: Kind, _ app: Int32, _ amount: Int64) throws(FoldError) {
        guard at != .none else { return }
        try counts.add(Key(app: app, bucket: at.bucket(Moment.quarterHour), kind: kind), amount)
    }
}
