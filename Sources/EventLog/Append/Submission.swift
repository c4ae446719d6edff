package import NotificationEvents

/// The events of one call to ``EventLog/append(_:app:)``, and who waits for what becomes of them.
struct Submission: Sendable {
    let app: AppID
    let events: [NormalisedEvent]
    let bytes: Int
    let continuation: CheckedContinuation<[AppendResult], any Error>
    /// When it began to wait.
    let since = ContinuousClock.now

    /// The longest wait for a writer.
    static let writerTimeout = Duration.seconds(10)
    /// The longest wait for an answer. Many senders give up after it.
    static let answerTimeout = Duration.seconds(15)

    /// About what an event takes in memory beside its strings.
    private static let overhead = 320

    static func bytes(_ events: [NormalisedEvent]) -> Int {
        events.reduce(0) { $0 + $1.data.count + $1.deviceID.utf8.count + overhead }
    }
}

/// Consecutive events of one submission: all of them, or fewer while the event that PostgreSQL refuses is searched for.
package struct SubmissionPart: Sendable {
    package var app: AppID
    package var events: ArraySlice<NormalisedEvent>

    package init(app: AppID, events: ArraySlice<NormalisedEvent>) {
        self.app = app
        self.events = events
    }
}
