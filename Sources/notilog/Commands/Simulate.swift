import ArgumentParser
import Foundation
import NotificationEvents
import Simulator

/// `notilog simulate`: realistic traffic, from a seed.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Generate realistic notification traffic.",
        usage: "notilog simulate [<options>]",
        discussion: """
            Without --url it writes NDJSON to standard output: the same arguments give the
            same bytes. With --url it sends them over HTTP: an app's events with --key
            (scope write), a sender's with --provider-key. News carry the attribute
            section, by which people respond, and orders order_type: name them as
            dimensions first.

            Examples:
              notilog apps set demo dimensions section order_type
              notilog simulate --devices 100 --days 7 --end 2026-03-01 --seed 1 \\
                > events.ndjson
              notilog simulate --devices 5000 --days 30 --url http://127.0.0.1:8080 \\
                --key nlg_w_… --provider-key nlg_p_…
            """
    )

    @Option(help: "People, with one device each.")
    var devices = 100
    @Option(help: "Days, counted back from --end.")
    var days = 7
    @Option(help: "When it ends: a date or an RFC 3339 time (default: today 00:00 UTC).")
    var end: String?
    @Option(help: "The seed that determines people and events.")
    var seed: UInt64 = 1
    @Option(help: "What goes wrong at last: lost-extension or fatigue.")
    var plant: String?
    @Option(help: "The service to send to, such as http://127.0.0.1:8080.")
    var url: String?
    @Option(help: "A key of scope write (or provider, for everything).")
    var key: String?
    @Option(name: .customLong("provider-key"), help: "A key of scope provider, for the events of push senders.")
    var providerKey: String?
    @Option(help: "Connections to send over.")
    var connections = 4
    @Option(help: "Events in one request.")
    var batch = 1000

    func validate() throws {
        guard (1...10_000_000).contains(devices), (1...36_500).contains(days) else {
            throw ValidationError("--devices takes 1 to 10000000, --days 1 to 36500")
        }
        guard (1...10_000).contains(batch), (1...64).contains(connections) else {
            throw ValidationError("--batch takes 1 to 10000, --connections 1 to 64")
        }
        guard url == nil || key != nil || providerKey != nil else {
            throw ValidationError("--url needs --key: make one with `notilog keys create --app A --scope write`")
        }
        let day: Int64 = 86_400_000_000
        let end = try endTime()
        // Clocks that are wrong, time zones and what is planned go some days beyond.
        guard end - Int64(days) * day >= Timestamp.earliest.microseconds + 31 * day,
            end <= Timestamp.latest.microseconds - 31 * day
        else {
            throw ValidationError("--end and --days take what is from February of year 1 to November of 9999")
        }
        _ = try planted()
    }

    func run() async throws {
        let simulation = Simulation(
            SimulationParameters(devices: devices, days: days, end: try endTime(), seed: seed, plant: try planted())
        )
        guard let url else { return Self.write(simulation) }
        let keys = SenderKeys(app: key ?? providerKey ?? "", provider: providerKey ?? key ?? "")
        let sender = try EventSender(url: url, keys: keys, connections: connections, batch: batch)
        let result = try await sender.send(simulation)
        Console.note(result.description)
        guard result.unanswered == 0 else {
            throw CommandFailure("\(result.unanswered) events were not stored: run the command again")
        }
    }

    private func planted() throws -> SimulationPlant? {
        try plant.map { name in
            guard let plant = SimulationPlant(rawValue: name) else {
                throw ValidationError("--plant takes lost-extension or fatigue")
            }
            return plant
        }
    }

    /// The end in microseconds since 1970.
    private func endTime() throws -> Int64 {
        guard let end else {
            let day: Int64 = 86_400_000_000
            return Int64(Date().timeIntervalSince1970) / 86_400 * day
        }
        guard let zoned = Timestamp.parse(end.count == 10 ? end + "T00:00:00Z" : end) else {
            throw ValidationError("--end takes a date (2026-03-01) or an RFC 3339 time (2026-03-01T00:00:00Z)")
        }
        return zoned.timestamp.microseconds
    }

    private static func write(_ simulation: Simulation) {
        var buffer: [UInt8] = []
        for event in simulation {
            buffer.append(contentsOf: event.line)
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count >= 1 << 16 {
                Console.print(bytes: buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        Console.print(bytes: buffer)
    }
}
