/// The rollups of `cohort_event`: actions, removals and runs of service extensions by the day of their notification's cohort.
package struct EventRollup: Sendable {
    /// For extensions: runs by what they did, and whether their notification was reached and responded to.
    package struct Run: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var appVersion: Symbol
        package var outcome: Symbol
        package var reached: Bool
        package var within: Int16
    }

    /// The same: runs that said how long they took.
    package struct Duration: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var appVersion: Symbol
        package var milliseconds: Int32
    }

    /// An action of notifications in one category.
    package struct Action: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var category: Symbol
        package var action: Symbol
        package var isDismissal: Bool
    }

    /// For actions: notifications on which one was taken.
    package struct Press: Hashable, Sendable {
        package var action: Action
        package var appVersion: Symbol
        package var counts: Bool
        package var responseOnly: Bool
        package var within: Int16
    }

    /// The same of those of which it is known when they were shown, by how long it took.
    package struct PressLatency: Hashable, Sendable {
        package var action: Action
        package var latency: Int32
    }

    /// For removals: notifications removed for a reason.
    package struct Removal: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var category: Symbol
        package var reason: Symbol
        package var isPending: Bool
        package var isDelivered: Bool
        package var isUnstated: Bool
        /// Of a pending one.
        package var withdrawn: Bool
        package var responded: Bool
        package var responseOnly: Bool
        /// From when it was shown to when it left the delivered list; -1 where that is not known.
        package var latency: Int32
    }

    /// When a notification was removed for a reason: the earliest of a pending one, of a delivered one, and without word of which.
    package struct RemovalTimes: Equatable, Sendable {
        package var pendingAt = Moment.none
        package var deliveredAt = Moment.none
        package var unstatedAt = Moment.none

        package init() {}

        package mutating func merge(_ other: RemovalTimes) {
            pendingAt = min(pendingAt, other.pendingAt)
            deliveredAt = min(deliveredAt, other.deliveredAt)
            unstatedAt = min(unstatedAt, other.unstatedAt)
        }
    }

    /// Runs; attachments loaded, and the runs that said so; the same of those that failed.
    package private(set) var runs = Sums<Run>(width: 5)
    package private(set) var durations = Sums<Duration>()
    /// Notifications, and presses.
    package private(set) var presses = Sums<Press>(width: 2)
    package private(set) var pressLatencies = Sums<PressLatency>()
    package private(set) var removals = Sums<Removal>()
    private let bounds: [Int64]

    /// - Parameter latencyBounds: upper bounds of the latency buckets, in microseconds.
    package init(latencyBounds: [Int64]) {
        bounds = latencyBounds
    }

    /// Counts a run of a service extension (sign 1), or counts it no longer (sign -1).
    package mutating func add(
        _ run: Event.ExtensionRun,
        of counted: Counted?,
        app: Int32,
        sign: Int64
    ) throws(FoldError) {
        guard let counted, counted.row.cohortAt != .none else { return }
        let bucket = counted.row.cohortAt.bucket(Moment.day)
        let appVersion = counted.row.context.appVersion.orEmpty
        let key = Run(
            app: app,
            bucket: bucket,
            appVersion: appVersion,
            outcome: run.outcome.orEmpty,
            reached: counted.row.isReached,
            within: Latency.window(from: counted.timedFrom, to: counted.facts.respondedAt)
        )
        let (loaded, failed) = (run.attachmentsLoaded, run.attachmentsFailed)
        let amounts = [
            1, Int64(loaded ?? 0), loaded == nil ? 0 : 1, Int64(failed ?? 0), failed == nil ? 0 : 1,
        ]
        try runs.add(key, amounts, times: sign)
        if let milliseconds = run.durationMilliseconds {
            try durations.add(
                Duration(app: app, bucket: bucket, appVersion: appVersion, milliseconds: milliseconds),
                sign
            )
        }
    }

    /// Counts an action, or a dismissal, by when it was first taken and how often.
    package mutating func add(
        action: Symbol,
        isDismissal: Bool,
        firstAt: Moment,
        presses times: Int32,
        of counted: Counted?,
        app: Int32,
        sign: Int64
    ) throws(FoldError) {
        guard let counted, counted.row.cohortAt != .none else { return }
        let stages = counted.row.stages
        let key = Action(
            app: app,
            bucket: counted.row.cohortAt.bucket(Moment.day),
            category: counted.facts.category.value.orEmpty,
            action: action,
            isDismissal: isDismissal
        )
        let press = Press(
            action: key,
            appVersion: counted.row.context.appVersion.orEmpty,
            counts: isDismissal ? stages.contains(.dismissObservable) : counted.row.isReached,
            responseOnly: stages.contains(.responseOnly),
            within: Latency.window(from: counted.timedFrom, to: firstAt)
        )
        try presses.add(press, [1, Int64(times)], times: sign)
        guard counted.row.shownAt != .none, !stages.contains(.responseOnly) else { return }
        let latency = Latency.bucket(max(firstAt.since(counted.row.shownAt), 0), bounds)
        try pressLatencies.add(PressLatency(action: key, latency: latency), sign)
    }

    /// Counts a removal for a reason.
    package mutating func add(
        reason: Symbol,
        _ times: RemovalTimes,
        of counted: Counted?,
        app: Int32,
        sign: Int64
    ) throws(FoldError) {
        guard let counted, counted.row.cohortAt != .none else { return }
        let isTimed = times.deliveredAt != .none && counted.row.shownAt != .none
        let key = Removal(
            app: app,
            bucket: counted.row.cohortAt.bucket(Moment.day),
            category: counted.facts.category.value.orEmpty,
            reason: reason,
            isPending: times.pendingAt != .none,
            isDelivered: times.deliveredAt != .none,
            isUnstated: times.unstatedAt != .none,
            withdrawn: counted.row.stages.contains(.withdrawn) && times.pendingAt != .none,
            responded: counted.row.stages.contains(.responded),
            responseOnly: counted.row.stages.contains(.responseOnly),
            latency: isTimed
                ? Latency.bucket(max(times.deliveredAt.since(counted.row.shownAt), 0), bounds) : -1
        )
        try removals.add(key, sign)
    }
}
