/// The rollup `received`: events by when the server received them, by quarter hour, and where in the log they are.
package struct Received: Sendable {
    package struct Key: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var kind: Symbol
    }

    package struct Count: Sendable {
        package var events: Int64 = 0
        /// Of them those with time_clamped.
        package var clamped: Int64 = 0
        package var positions: ClosedRange<Int64>
    }

    package private(set) var counts: [Key: Count] = [:]

    package init() {}

    /// Counts an event.
    package mutating func add(_ kind: Symbol, app: Int32, receivedAt: Moment, isClamped: Bool, position: Int64)
        throws(FoldError)
    {
        let key = Key(app: app, bucket: receivedAt.bucket(Moment.quarterHour), kind: kind)
        var count = counts[key] ?? Count(positions: position...position)
        count.events = try count.events.adding(1)
        if isClamped { count.clamped = try count.clamped.adding(1) }
        count.positions.widen(to: position)
        counts[key] = count
    }
}

extension ClosedRange<Int64> {
    /// Makes it contain a position too.
    mutating func widen(to position: Int64) {
        self = Swift.min(lowerBound, position)...Swift.max(upperBound, position)
    }
}
