public import Postgres

/// What became of one event that was appended.
public enum AppendResult: Sendable, Equatable {
    /// It was stored, and stands at this position of the log.
    case stored(position: Position)
    /// The same event had been stored before, at this position.
    case duplicate(position: Position)
    /// Another event with this id had been stored before, at this position. This one was not stored.
    case conflict(position: Position)
    /// Its device was erased. It was not stored, and nothing of it is to be kept.
    case erased
    /// It was received, or happened, in a time of which retention has dropped the events. The log no longer says whether it was
    /// stored then. It was not stored now.
    case tooOld
    /// PostgreSQL cannot store this event or one of its values; `reason` contains no value.
    case rejected(reason: String)
}

/// Why events could not be appended. Nothing of the call was acknowledged; the same call may be made again.
public struct AppendError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Kind { case overloaded, unavailable, stopped }
    private let kind: Kind
    /// What happened, in one sentence.
    public let description: String
    /// With ``isOverload``: about how long it takes until there is room, in seconds.
    public var wait: Double?
    /// What PostgreSQL or its connection said; nil if neither did.
    public private(set) var cause: PostgresError?

    private init(kind: Kind, description: String, wait: Double? = nil) {
        self.kind = kind
        self.description = description
        self.wait = wait
    }

    /// Whether the queue is full: the sender should come back later.
    public var isOverload: Bool { kind == .overloaded }
    /// Whether the log takes nothing more, as the service is being stopped.
    public var isStopped: Bool { kind == .stopped }

    static func overloaded(wait: Double) -> AppendError {
        AppendError(kind: .overloaded, description: "the queue of events to be stored is full", wait: wait)
    }

    static let stopped = AppendError(kind: .stopped, description: "the service is stopping")

    /// The database is unavailable, or the connection broke. Some of the events may have been stored; if they are sent again,
    /// those are found.
    package static func unavailable(_ reason: String) -> AppendError {
        AppendError(kind: .unavailable, description: "the database is not available: \(reason)")
    }

    /// The same, because of an error.
    static func unavailable(because error: any Error) -> AppendError {
        let cause = error as? PostgresError
        var failure =
            if let refusal = cause?.refusal {
                AppendError(kind: .unavailable, description: "\(refusal): \(error)")
            } else {
                unavailable("\(error)")
            }
        failure.cause = cause
        return failure
    }
}
