internal import HTTPTypes
internal import Reports

extension Problem {
    /// What a report's failure means to whoever asked: 400, 409 where projections are behind; 500 for a fault of ours.
    init(_ error: ReportError) {
        switch error.code {
        case .behind:
            self.init(.conflict, error.code.description, error.message)
            self = retry(after: min(max(error.lagSeconds ?? 1, 1), 60))
        case .catalogue, .unknownApp:
            self = .internalError
            return
        default:
            self.init(.badRequest, error.code.description, error.message)
        }
        parameter = error.parameter
        accepted = error.accepted
        lagSeconds = error.lagSeconds
    }
}
