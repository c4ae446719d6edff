internal import EventLog
internal import NotificationEvents

/// What became of one item, as the answer says it.
enum ItemOutcome: Sendable {
    /// It is stored, at this position of the log.
    case accepted(EventID, position: Int64, warnings: [String])
    /// It was stored before, at this position.
    case duplicate(EventID, position: Int64, warnings: [String])
    /// It is not stored.
    case rejected(EventID?, EventError)

    /// What the log made of an event.
    ///
    /// - Parameter place: where its item is in the body, as a JSON pointer.
    init(_ event: NormalisedEvent, _ result: AppendResult, place: String, warnings: [String]) {
        switch result {
        case .stored(let position):
            self = .accepted(event.id, position: position, warnings: warnings)
        case .duplicate(let position):
            self = .duplicate(event.id, position: position, warnings: warnings)
        case .conflict:
            self = .rejected(
                event.id,
                EventError(
                    code: .idConflict,
                    pointer: "\(place)/id",
                    message:
                        "an event with this id and other content is stored already: give every event an id of its own"
                )
            )
        case .erased:
            self = .rejected(
                event.id,
                EventError(
                    code: .erased,
                    pointer: "\(place)/device_id",
                    message:
                        "the device, or the one whose token it names, was erased: nothing of it is stored any more, so do not send it again"
                )
            )
        case .tooOld:
            self = .rejected(
                event.id,
                EventError(
                    code: .tooOld,
                    pointer: "\(place)/occurred_at",
                    message: "is older than the events that the log still holds"
                )
            )
        case .rejected:
            self = .rejected(
                event.id,
                EventError(
                    code: .invalidValue,
                    pointer: place,
                    message: "the event holds a value that cannot be stored"
                )
            )
        }
    }
}
