internal import Exports
internal import HTTPTypes

extension Problem {
    /// The answer for an export's error.
    init(_ error: ExportError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .unknownDataset: .notFound
            case .unwritableType: .internalServerError
            case .behind: .conflict
            default: .badRequest
            }
        self.init(status, error.code.description, error.message)
        accepted = error.accepted
        switch error.code {
        case .behind: self = behind(lagSeconds: error.lagSeconds)
        case .unknownPosition: parameter = "min_position"
        default: break
        }
    }

    /// 410: retention has dropped events that come after the cursor.
    static let eventsDropped = Problem(
        .gone,
        "events_dropped",
        "retention has dropped events after this cursor: start over without after, and read more often, or use a named cursor (notilog export), which retention waits for"
    )

    /// 401, for the log: the answer is cut off.
    static let keyRevoked = Problem.unauthorized("the key was revoked during an export")

    /// 400: `after` is not a cursor of an answer.
    static let badExportCursor: Problem = {
        var problem = Problem(
            .badRequest,
            "invalid_cursor",
            "after takes the Notilog-Next-Cursor of an earlier answer for the same dataset and app; omit it to start"
        )
        problem.parameter = "after"
        return problem
    }()
}
