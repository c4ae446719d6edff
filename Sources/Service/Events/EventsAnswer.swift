internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import Ingestion
internal import JSON
internal import NotificationEvents

/// The answer to `POST /v1/events`, and to every other route that takes events.
struct EventsAnswer {
    private(set) var accepted = 0
    private(set) var duplicate = 0
    private(set) var rejected = 0
    /// The highest position that the request wrote, of each database that it wrote to.
    private var highest: [Int16: Position] = [:]
    private let isClustered: Bool
    private var outcomes: [IngestionOutcome] = []

    /// - Parameter isClustered: whether positions end with the number of a cell.
    init(_ outcomes: [IngestionOutcome], isClustered: Bool = false) {
        self.outcomes = outcomes
        self.isClustered = isClustered
        for item in outcomes {
            switch item.outcome {
            case .accepted(_, let position, _):
                accepted += 1
                highest[isClustered ? position.cell : 0, default: .start].raise(to: position)
            case .duplicate: duplicate += 1
            case .rejected: rejected += 1
            }
        }
    }

    /// The highest position that the request wrote; nil if it wrote none, or to several cells.
    var position: Position? { highest.count == 1 ? highest.values.first : nil }

    /// 200 if anything was stored or the body was empty, else 422.
    var status: HTTPResponse.Status {
        rejected > 0 && accepted + duplicate == 0 ? .unprocessableContent : .ok
    }

    /// The whole answer.
    /// - Parameter listsAll: whether plainly accepted items are listed as well.
    func response(listsAll: Bool) -> Response {
        var json = JSONWriter(capacity: 128 + 96 * (listsAll ? outcomes.count : duplicate + 2 * rejected))
        json.object {
            $0.field("accepted", accepted)
            $0.field("duplicate", duplicate)
            $0.field("rejected", rejected)
            $0.name("position")
            if let position { $0.integer(position.rawValue) } else { $0.null() }
            if isClustered {
                $0.name("positions")
                $0.array { json in for position in highest.values.sorted() { json.integer(position.rawValue) } }
            }
            $0.name("results")
            $0.array { json in
                for item in outcomes where listsAll || !item.outcome.isPlainlyAccepted {
                    item.outcome.write(to: &json, index: item.index, kind: item.kind)
                }
            }
        }
        return .json(json, status: status)
    }
}

extension Position {
    fileprivate mutating func raise(to other: Position) { self = max(self, other) }
}

extension ItemOutcome {
    var isPlainlyAccepted: Bool {
        if case .accepted(_, _, let warnings) = self { warnings.isEmpty } else { false }
    }

    func write(to json: inout JSONWriter, index: Int, kind: String?) {
        json.object { json in
            json.field("index", index)
            if let kind { json.field("kind", kind) }
            switch self {
            case .accepted(let id, let position, let warnings):
                json.field("id", id.description)
                json.field("status", "accepted")
                json.field("position", position.rawValue)
                Self.write(warnings, to: &json)
            case .duplicate(let id, let position, let warnings):
                json.field("id", id.description)
                json.field("status", "duplicate")
                json.field("position", position.rawValue)
                Self.write(warnings, to: &json)
            case .rejected(let id, let error):
                if let id { json.field("id", id.description) }
                json.field("status", "rejected")
                json.name("error")
                json.object {
                    $0.field("code", error.code.rawValue)
                    $0.field("pointer", error.pointer)
                    $0.field("message", error.message)
                }
            }
        }
    }

    private static func write(_ warnings: [String], to json: inout JSONWriter) {
        guard !warnings.isEmpty else { return }
        json.name("warnings")
        json.array { json in
            for warning in warnings { json.string(warning) }
        }
    }
}
