import Foundation
import Simulator

/// One simulation, parsed once for all tests that look at it.
struct Sample: Sendable {
    struct Event: Sendable {
        let sent: SimulatedEvent
        let value: JSONValue
        let occurredAt: RFC3339Time?

        subscript(key: String) -> JSONValue? { value[key] }
        var device: String { value["device_id"]?.string ?? "" }
        /// The notification's identity on its device.
        var notification: String? {
            guard let name = value["notification_id"]?.string ?? value["request_identifier"]?.string else { return nil }
            return device + "/" + name + "/" + (value["occurrence"]?.string ?? "")
        }
    }

    let parameters = SimulationParameters(devices: 900, days: 18, end: 1_763_683_200_000_000, seed: 7)
    /// In the order of sending, repeats included.
    let events: [Event]
    let unparsed: Int

    private static let made = Task {
        await withCheckedContinuation { continuation in
            // It takes seconds, for which it would hold up the few threads that all tests share.
            Thread.detachNewThread { continuation.resume(returning: Sample()) }
        }
    }

    static var shared: Sample {
        get async { await made.value }
    }

    private init() {
        let decoder = JSONDecoder()
        var events: [Event] = []
        var unparsed = 0
        for event in Simulation(parameters) {
            guard let value = try? decoder.decode(JSONValue.self, from: Data(event.line)) else {
                unparsed += 1
                continue
            }
            events.append(
                Event(sent: event, value: value, occurredAt: value["occurred_at"]?.string.flatMap(RFC3339Time.init))
            )
        }
        self.events = events
        self.unparsed = unparsed
    }

    /// The first sending of each event of a kind.
    func events(_ kind: SimulatedKind) -> [Event] {
        events.filter { $0.sent.kind == kind && !$0.sent.isRetry }
    }
}
