/// The rollup `push_result`: answers of push providers by quarter hour, and where in the log they are.
package struct PushResults: Sendable {
    package struct Key: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        /// The empty string where it was not said, as with the other texts; 0 for the status.
        package var provider: Symbol
        package var status: Int16
        package var reason: Symbol
        package var type: Symbol
        package var environment: Symbol
        package var topic: Symbol
    }

    package struct Count: Sendable {
        package var results: Int64
        package var firstAt: Moment
        package var lastAt: Moment
    }

    package struct Bucket: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
    }

    package private(set) var counts: [Key: Count] = [:]
    /// The first and the last position of the answers of a bucket.
    package private(set) var positions: [Bucket: ClosedRange<Int64>] = [:]

    package init() {}

    /// Counts an answer.
    ///
    /// - Parameter position: of its event in the log.
    package mutating func add(
        _ answer: PushAnswer,
        app: Int32,
        at: Moment,
        position: Int64,
        _ symbols: borrowing Symbols
    ) throws(FoldError) {
        let bucket = at.bucket(Moment.quarterHour)
        let key = Key(
            app: app,
            bucket: bucket,
            provider: answer.provider.orEmpty,
            status: try answer.statusCode(symbols),
            reason: answer.reason.orEmpty,
            type: answer.type.orEmpty,
            environment: answer.environment.orEmpty,
            topic: answer.topic.orEmpty
        )
        var count = counts[key] ?? Count(results: 0, firstAt: at, lastAt: at)
        count.results = try count.results.adding(1)
        count.firstAt = min(count.firstAt, at)
        count.lastAt = max(count.lastAt, at)
        counts[key] = count
        positions[Bucket(app: app, bucket: bucket), default: position...position].widen(to: position)
    }
}
