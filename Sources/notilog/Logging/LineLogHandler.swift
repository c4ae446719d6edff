import Logging
import NotificationEvents
import Pacing

/// Logs one line an event to standard error: JSON for machines, or text for people.
struct LineLogHandler: LogHandler {
    /// How a line is written.
    enum Format: String, Sendable, CaseIterable {
        case json, text
    }

    let label: String
    let format: Format
    /// Shared by all copies of a logger.
    let repeated: RepeatedLines
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
        if let error = event.error { fields["error"] = "\(error)" }
        if event.level >= .warning, fields["error"] != nil {
            let same = fields.filter { $0.key != "error" }.map { "\($0.key)=\($0.value)" }.sorted()
            guard let left = repeated.admit("\(event.message) \(same.joined(separator: " "))") else { return }
            if left > 0 { fields["left_out"] = "\(left)" }
        }
        let now = Timestamp(microseconds: SystemClock.microseconds()).description
        let pairs = fields.map { (name: Self.names[$0.key] ?? $0.key, value: "\($0.value)") }.sorted {
            $0.name < $1.name
        }
        switch format {
        case .json:
            let head = [("time", now), ("level", event.level.rawValue), ("message", "\(event.message)")]
            var line = ""
            for (name, value) in head + pairs {
                line += line.isEmpty ? "{" : ","
                line.append(json: name)
                line += ":"
                line.append(json: value)
            }
            Console.note(line + "}")
        case .text:
            let level = event.level.rawValue.uppercased()
            let rest = pairs.map { " \($0.name)=\($0.value)" }.joined()
            Console.note("\(now.dropLast(4))Z \(level) \(event.message)\(rest)")
        }
    }

    /// Maps the field names of libraries to this service's.
    private static let names = ["hb.request.id": "request_id"]
}
