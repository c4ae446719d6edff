internal import HTTPTypes
internal import Reports

extension Problem {
    /// The answer for a report's error: 400; 409 if projections are behind; 503 if a standby cancelled it or a cell does not answer; 500 for a fault of the service.
    init(_ error: ReportError) {
        switch error.code {
        case .behind:
            self.init(.conflict, error.code.description, error.message)
            self = behind(lagSeconds: error.lagSeconds)
        case .recoveryConflict, .silentCell:
            self.init(.serviceUnavailable, error.code.description, error.message)
            self = retry(after: 2)
        case .catalogue, .unknownApp:
            self = .internalError
            return
        default:
            self.init(.badRequest, error.code.description, error.message)
        }
        parameter = error.parameter
        accepted = error.accepted
    }

    /// The same for data that did not reach a `min_position` in time.
    func behind(lagSeconds: Double?) -> Problem {
        var problem = retry(after: lagSeconds ?? 1)
        problem.parameter = "min_position"
        problem.lagSeconds = lagSeconds
        return problem
    }
}
