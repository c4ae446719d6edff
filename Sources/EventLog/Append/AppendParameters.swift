package import Postgres

/// The events of a batch as the arrays that `log.append` takes: one for each ``EventColumn``.
package enum AppendParameters {
    static let sql: String = {
        let arguments = EventColumn.allCases.enumerated().map { index, column in "\(column.argument) => $\(index + 1)" }
        return "SELECT positions, statuses FROM log.append(\(arguments.joined(separator: ", ")))"
    }()

    package static func make(_ parts: [SubmissionPart]) -> [Parameter] {
        let count = parts.reduce(0) { $0 + $1.events.count }
        return EventColumn.allCases.map { $0.parameter(parts, count: count) }
    }

    static func results(_ rows: Rows, count: Int) throws -> [AppendResult] {
        let row = try rows.only()
        let positions = try row.get(0, as: [Position?].self)
        let statuses = try row.get(1, as: [Int16].self)
        guard positions.count == count, statuses.count == count else {
            throw AppendError.unavailable("log.append answered for \(positions.count) of \(count) events")
        }
        return try zip(positions, statuses).map { position, status in
            switch (status, position) {
            case (0, let position?): .stored(position: position)
            case (1, let position?): .duplicate(position: position)
            case (2, let position?): .conflict(position: position)
            case (3, nil): .erased
            case (4, nil): .tooOld
            default: throw AppendError.unavailable("log.append answered with the unknown status \(status)")
            }
        }
    }
}
