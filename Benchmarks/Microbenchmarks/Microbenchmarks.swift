import EventLog
import FoundationEssentials
import Decoding
import NotificationEvents

/// One step of ingest or of projections, so many times over and nothing else, for a counter of instructions: `make bench-micro`.
///
/// Synchronous: under valgrind a program whose main function is asynchronous does not run.
@main
struct Microbenchmarks {
    /// Arguments: the step, a file of events as NDJSON, and how often. Prints how many events went through the step.
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let rounds = Int(arguments.last ?? ""),
            let step = Step(rawValue: arguments.first ?? "")
        else {
            throw Failure(
                "give a step (\(Step.allCases.map(\.rawValue).joined(separator: ", "))), a file, and how often"
            )
        }
        let file = try Data(contentsOf: URL(filePath: arguments[arguments.startIndex + 1]))
        let lines = Array(file).split(separator: UInt8(ascii: "\n")).map(Array.init)
        print(try step.run(lines, rounds: rounds))
    }
}

enum Step: String, CaseIterable {
    /// Bytes to an event, one event a body, as an app sends them.
    case decode
    /// Bytes to events, all of them in one body.
    case decodeBatch = "decode-batch"
    /// Events to the arrays that `log.append` takes.
    case encode
    /// Events to the rows of notifications and rollups, as the group of `notification` is applied, without the database.
    case fold

    func run(_ lines: [[UInt8]], rounds: Int) throws -> Int {
        let body = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
        let decoder = EventDecoder()
        var events = 0
        switch self {
        case .decode:
            for _ in 0..<rounds {
                for line in lines { events += try decoded(line, .json, by: decoder).count }
            }
        case .decodeBatch:
            for _ in 0..<rounds { events += try decoded(body, .ndjson, by: decoder).count }
        case .encode:
            let part = SubmissionPart(app: 1, events: try decoded(body, .ndjson, by: decoder)[...])
            for _ in 0..<rounds where !AppendParameters.make([part]).isEmpty { events += part.events.count }
        case .fold:
            let batch = try decoded(body, .ndjson, by: decoder)
            for _ in 0..<rounds where try FoldStep.fold(batch) > 0 { events += batch.count }
        }
        return events
    }

    /// The events of a body; each has to be accepted, or what is counted is something else.
    private func decoded(_ body: [UInt8], _ format: BodyFormat, by decoder: EventDecoder) throws -> [NormalisedEvent] {
        let items = try decoder.decode(
            body,
            format: format,
            policy: DecodingPolicy(scope: .provider, limits: DecodingLimits(retentionSeconds: 100 * 365 * 86_400)),
            receivedAt: Timestamp(seconds: 1_800_000_000)
        ).map(\.item)
        return try items.map { item in
            guard case .accepted(let event, _) = item else { throw Failure("an event was not accepted: \(item)") }
            return event
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
