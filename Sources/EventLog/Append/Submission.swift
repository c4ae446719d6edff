package import NotificationEvents

/// The events of one call to ``EventLog/append(_:app:)``, and who waits for what becomes of them.
struct Submission: Sendable {
    let app: AppID
    let events: [NormalisedEvent]
    let bytes: Int
    let continuation: CheckedContinuation<[AppendResult], any Error>
    /// Since when it waits.
    let since = ContinuousClock.now

    /// How long one waits for a writer at most.
    static let patience = Duration.seconds(10)
    /// How long one waits for its answer at most: a sender that was not told by then has often given up.
    static let longest = Duration.seconds(15)

    /// About what an event takes in memory beside its strings.
    private static let overhead = 320

    static func bytes(_ events: [NormalisedEvent]) -> Int {
        events.reduce(0) { $0 + $1.data.count + $1.deviceID.utf8.count + overhead }
    }
}

/// Events of one submission that follow each other: all of them, or fewer while the one that PostgreSQL refuses is looked
/// for.
package struct SubmissionPart: Sendable {
    package var app: AppID
    package var events: ArraySlice<NormalisedEvent>

    package init(app: AppID, events: ArraySlice<NormalisedEvent>) {
        self.app = app
        self.events = events
    }
}
