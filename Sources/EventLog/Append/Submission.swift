internal import NotificationEvents

/// The events of one call to ``EventLog/append(_:app:)``, and who waits for what becomes of them.
struct Submission: Sendable {
    let app: Int32
    let events: [NormalisedEvent]
    let bytes: Int
    let continuation: CheckedContinuation<[AppendResult], any Error>

    /// About what an event takes in memory beside its strings.
    private static let overhead = 320

    static func bytes(_ events: [NormalisedEvent]) -> Int {
        events.reduce(0) { $0 + $1.data.count + $1.deviceID.utf8.count + overhead }
    }
}

/// A run of events of one submission, the unit in which a poison event is looked for.
struct AppendSlice: Sendable {
    var app: Int32
    var events: ArraySlice<NormalisedEvent>
}
