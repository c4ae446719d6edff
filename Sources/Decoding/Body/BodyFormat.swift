/// How a body holds its events.
public enum BodyFormat: String, Sendable, CaseIterable {
    /// One event, or an array of events.
    case json = "application/json"
    /// One event a line.
    case ndjson = "application/x-ndjson"
    /// One CloudEvent 1.0, structured.
    case cloudEvent = "application/cloudevents+json"
    /// An array of CloudEvents 1.0.
    case cloudEventBatch = "application/cloudevents-batch+json"

    /// Reads a `Content-Type` header (RFC 9110, section 8.3); `nil` for a type that is not taken, or one whose
    /// `charset` is not UTF-8.
    public init?(contentType: String) {
        if let format = BodyFormat(rawValue: contentType) {
            self = format
            return
        }
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingBlanks().lowercased()
        }
        self.init(rawValue: parts[0])
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingBlanks() }
            if pair.first == "charset", pair.count == 2, !["utf-8", "utf8", "\"utf-8\"", "us-ascii"].contains(pair[1]) {
                return nil
            }
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    func trimmingBlanks() -> String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" {
            rest.removeFirst()
        }
        while let last = rest.last, last == " " || last == "\t" {
            rest.removeLast()
        }
        return String(rest)
    }
}
