#if canImport(NotilogClientOnApple)
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    /// What apps meet in the field: callbacks in, the events that the service then has, and a figure of a report.
    struct ClientScenario: Sendable, CustomTestStringConvertible {
        /// A figure of the one row that a report gives.
        struct Figure: Sendable {
            var report: String
            /// Further parameters, such as `&by=campaign`.
            var query = ""
            /// What tells the row from others: column and value.
            var row: [String: String] = [:]
            var column: String
            var value: Double

            init(
                _ report: String,
                _ column: String,
                _ value: Double,
                _ row: [String: String] = [:],
                query: String = ""
            ) {
                (self.report, self.column, self.value, self.row, self.query) = (report, column, value, row, query)
            }

            /// As the table of the documentation has it.
            var text: String {
                let place = row.sorted { $0.key < $1.key }.map { " of `\($0.value)`" }.joined()
                return "`\(report)`: `\(column)`\(place) is \(value.formatted(.number.grouping(.never)))"
            }
        }

        let name: String
        /// The callbacks, in Apple's words.
        let callbacks: String
        /// The kinds of the stored events, in their order.
        let events: [String]
        let figure: Figure
        /// What ``Notilog/diagnosis()`` says at the end, by its sort.
        var findings: [String] = []
        /// Whether the recorder sends by itself, without a call.
        var sendsItself = false
        /// Plays it, and returns the recorder that sends what is left and is asked for its diagnosis.
        let play: @Sendable (ScenarioStage) async throws -> Notilog

        var testDescription: String { name }

        /// The row of the documentation's table.
        var row: String {
            let kinds = events.map { "`\($0)`" }.joined(separator: ", ")
            let found = findings.map { "; finding `\($0)`" }.joined()
            return "| \(name) | \(callbacks) | \(kinds) | \(figure.text)\(found) |"
        }

        static let all = sending + faces + hearing + callbacks + questions
    }
#endif
