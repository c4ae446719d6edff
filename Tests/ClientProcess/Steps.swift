import Foundation
import NotilogClient

/// A step of recording and sending, at which the process can end.
enum Step: String, CaseIterable {
    case recording, recorded, reading, read, sending, underWay, answered, removing, removed
    /// The same of what is handed over to the system: the upload's file is written, the upload has begun, was answered, and its
    /// events are out of the queue.
    case written, begun, taken, settled

    /// Whether it is one of those, to which it comes where the app cannot send by itself.
    var isHandedOver: Bool { [.written, .begun, .taken, .settled].contains(self) }

    /// Ends the process as a crash or the system would.
    func reached(_ end: Step?) {
        if self == end { kill(getpid(), SIGKILL) }
    }
}

/// The queue in the folder, which ends the process at a step.
struct EndingQueue: Notilog.EventStorage {
    let queue: Notilog.FileQueue
    let end: Step?

    func append(_ events: [Notilog.QueuedEvent]) throws -> Bool {
        Step.recording.reached(end)
        defer { Step.recorded.reached(end) }
        return try queue.append(events)
    }

    func change(_ name: String, _ change: (Data?) -> Notilog.NoteChange) throws -> Bool {
        Step.recording.reached(end)
        defer { Step.recorded.reached(end) }
        return try queue.change(name, change)
    }

    func oldest(_ count: Int, bytes: Int) throws -> [Notilog.QueuedEvent] {
        Step.reading.reached(end)
        defer { Step.read.reached(end) }
        return try queue.oldest(count, bytes: bytes)
    }

    func remove(through position: Notilog.QueuePosition) throws {
        Step.removing.reached(end)
        defer { Step.removed.reached(end) }
        try queue.remove(through: position)
    }

    func status() throws -> Notilog.QueueStatus { try queue.status() }
    func dropped() throws -> UInt64 { try queue.dropped() }
    func consent() throws -> Notilog.Consent { try queue.consent() }
    func setConsent(_ consent: Notilog.Consent) throws { try queue.setConsent(consent) }
    func permitsRecording() throws -> Bool { try queue.permitsRecording() }
    func deviceID() throws -> String { try queue.deviceID() }
    func resetDeviceID() throws { try queue.resetDeviceID() }
}

/// The way to the service, on which the process ends.
struct EndingTransport: Notilog.Transport {
    let transport = Notilog.URLSessionTransport(timeout: 5)
    let end: Step?

    func send(_ request: Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer {
        Step.sending.reached(end)
        if end?.isHandedOver == true { throw URLError(.notConnectedToInternet) }
        if end == .underWay { killSoon(upTo: 0.01) }
        let answer = try await transport.send(request)
        Step.answered.reached(end)
        return answer
    }
}

/// The system's uploads, by this process, which ends at a step of them.
final class EndingUploads: Notilog.BackgroundUploads, @unchecked Sendable {
    private let transport = Notilog.URLSessionTransport(timeout: 5)
    private let end: Step?
    // Set once, before anything begins.
    private var onEnd: (@Sendable (String, Notilog.IncomingAnswer?) async -> Void)?

    init(end: Step?) {
        self.end = end
    }

    func observe(_ onEnd: @escaping @Sendable (String, Notilog.IncomingAnswer?) async -> Void) { self.onEnd = onEnd }
    func underWay() async -> [String] { [] }
    func cancel() {}

    func begin(_ request: Notilog.OutgoingRequest, file: URL, name: String, notBefore date: Date?) {
        Step.written.reached(end)
        guard let body = try? Data(contentsOf: file) else { return }
        if end == .begun { killSoon(upTo: 0.01) }
        Task { [transport, onEnd, end] in
            var request = request
            request.body = body
            let answer = try? await transport.send(request)
            Step.taken.reached(end)
            await onEnd?(name, answer)
            Step.settled.reached(end)
        }
    }
}

/// Ends the process at a random moment within so many seconds.
func killSoon(upTo seconds: TimeInterval) {
    let microseconds = useconds_t(Double.random(in: 0...seconds) * 1_000_000)
    Thread.detachNewThread {
        usleep(microseconds)
        kill(getpid(), SIGKILL)
    }
}
