internal import Decoding
public import EventLog
public import NotificationEvents

/// The outcome of one event, with its item.
public struct IngestionOutcome: Sendable {
    /// The outcome.
    public var outcome: ItemOutcome
    /// The index of its item in the body, from 0.
    public var index: Int
    /// The kind, if one item may give several events; else nil.
    public var kind: String?

    /// - Parameters: as the properties of the same names.
    public init(outcome: ItemOutcome, index: Int, kind: String? = nil) {
        self.outcome = outcome
        self.index = index
        self.kind = kind
    }

    var isRejected: Bool {
        if case .rejected = outcome { true } else { false }
    }

    var isTooOld: Bool {
        if case .rejected(_, let error) = outcome { error.code == .tooOld } else { false }
    }
}

/// The outcome of one event.
public enum ItemOutcome: Sendable {
    /// It is stored, at this position of the log.
    case accepted(EventID, position: Position, warnings: [String])
    /// It was stored before, at this position.
    case duplicate(EventID, position: Position, warnings: [String])
    /// It is not stored.
    case rejected(EventID?, EventError)

    /// The outcome for a result of the log.
    ///
    /// - Parameter pointer: the JSON pointer to the event's item in the body.
    init(_ event: NormalisedEvent, _ result: AppendResult, pointer: String, warnings: [String]) {
        func rejected(_ code: EventError.Code, _ field: String, _ message: String) -> ItemOutcome {
            .rejected(event.id, EventError(code: code, pointer: pointer + field, message: message))
        }
        self =
            switch result {
            case .stored(let position): .accepted(event.id, position: position, warnings: warnings)
            case .duplicate(let position): .duplicate(event.id, position: position, warnings: warnings)
            case .conflict:
                rejected(
                    .idConflict,
                    "/id",
                    "an event with this id and other content is stored already: give every event an id of its own"
                )
            case .erased:
                rejected(
                    .erased,
                    "/device_id",
                    "the device of this event, or of its token, was erased, so the event was not stored: do not send it again"
                )
            case .tooOld:
                rejected(.tooOld, "/occurred_at", "the event is older than the events that the log still holds")
            case .rejected: rejected(.invalidValue, "", "the event holds a value that cannot be stored")
            }
    }
}

extension CellLog {
    /// Appends the accepted items.
    ///
    /// - Returns: the outcome of each item, in order.
    /// - Throws: `AppendError`.
    func append(_ items: [DecodedItem], app: AppID) async throws -> [IngestionOutcome] {
        var events: [NormalisedEvent] = []
        events.reserveCapacity(items.count)
        for case .accepted(let event, _) in items.lazy.map(\.item) { events.append(event) }
        var results = try await append(events, app: app).makeIterator()
        var outcomes: [IngestionOutcome] = []
        outcomes.reserveCapacity(items.count)
        for item in items {
            let outcome: ItemOutcome
            switch item.item {
            case .rejected(let rejected): outcome = .rejected(rejected.id, rejected.error)
            case .accepted(let event, let warnings):
                // The log returns one result for each event.
                guard let result = results.next() else {
                    throw AppendError.unavailable("the log returned too few results")
                }
                outcome = ItemOutcome(event, result, pointer: item.pointer, warnings: warnings)
            }
            outcomes.append(IngestionOutcome(outcome: outcome, index: item.index, kind: item.kind))
        }
        return outcomes
    }
}
