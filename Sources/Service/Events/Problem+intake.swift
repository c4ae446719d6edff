internal import Decoding
internal import EventLog
internal import HTTPTypes
internal import Ingestion
internal import Postgres

extension Problem {
    /// The problem of a body that was not accepted.
    init(_ error: IngestionError) {
        switch error {
        case .body(let error) where error.reason == .noMemory:
            self = Problem(error.reason.status, error.code, error.message).retry(after: 1)
        case .body(let error): self.init(error.reason.status, error.code, error.message)
        case .noHashSecret: self = .noHashSecret
        case .clock(let problem): self = .clockWrong(problem)
        case .clockUnknown: self = .databaseAway
        }
    }

    /// The problem of a failed append.
    init(_ error: AppendError) {
        if error.isOverload {
            self = .overloaded(wait: error.wait ?? 1)
        } else if error.isStopped {
            self = .stopping
        } else if let refusal = error.cause?.refusal {
            // Also for a missing right: the sender keeps the events until the right is granted.
            self = .databaseRefuses(refusal)
        } else if error.cause?.sqlState == SQLState.otherCell {
            self = .logMoves
        } else {
            self = error.cause?.isContention == true ? .databaseBusy : .databaseAway
        }
    }
}

extension BodyError.Reason {
    /// The status that answers it.
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .invalidJSON: .badRequest
        case .tooLarge, .tooManyEvents: .contentTooLarge
        case .unsupportedEncoding: .unsupportedMediaType
        case .noMemory: .serviceUnavailable
        }
    }
}
