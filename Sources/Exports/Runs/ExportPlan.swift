internal import Postgres

/// The range and the file of one run, recorded before the file exists.
struct ExportPlan: Sendable {
    var cursorID: String
    var incarnation: String
    var range: ExportRange
    var file: String
    var format: ExportFormat
    var gzip: Bool
    var isResumed: Bool
    /// Whether the log is the one of the cursor's last run.
    var isKnown: Bool

    /// The manifest's name.
    var manifest: String {
        String(file.dropLast(Self.ending(format, gzip: gzip).count)) + ".manifest.json"
    }

    /// The name of a range's file: alphabetical order is the order of the runs.
    static func file(_ request: ExportRequest, _ range: ExportRange) -> String {
        func padded(_ number: Int64) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, 16 - text.count)) + text
        }
        let name = "\(request.cursor).\(request.dataset).\(padded(range.after + 1))-\(padded(range.upTo))"
        return name + ending(request.format, gzip: request.gzip)
    }

    private static func ending(_ format: ExportFormat, gzip: Bool) -> String {
        ".\(format.rawValue)" + (gzip ? ".gz" : "")
    }
}
