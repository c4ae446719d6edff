internal import EventLog
internal import HTTPTypes
internal import Ingest
internal import Intake

extension Problem {
    /// The problem of a batch that was not accepted.
    init(_ error: IntakeError) {
        switch error {
        case .body(let error): self.init(HTTPResponse.Status(code: error.status), error.code, error.message)
        case .noHashSecret: self = .noHashSecret
        case .clock(let problem): self = .clockWrong(problem)
        case .clockUnknown: self = .databaseAway
        }
    }

    /// The problem of a failed append.
    init(_ error: AppendError) {
        if error.isOverload {
            self = .overloaded(wait: error.wait ?? 1)
        } else {
            self = error.isStopped ? .stopping : .databaseAway
        }
    }
}
