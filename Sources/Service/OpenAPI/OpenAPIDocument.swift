internal import JSON
internal import NIOCore
internal import NotificationEvents
internal import Reports
internal import Schema

/// The description of the API (OpenAPI 3.1): `docs/openapi.yaml`, in which the kinds of events and the reports are put
/// where its comments say, so that a new one needs no other words than its own.
///
/// What is put in is JSON, which YAML takes.
struct OpenAPIDocument: Sendable {
    /// The whole document.
    let text: String

    /// - Throws: `SchemaError` if the file is missing or lacks the markers for kinds or reports.
    init(folder: ReleaseFolder, reports: ReportCatalogue) throws(SchemaError) {
        var text = try folder.readShared("docs/openapi.yaml")
        let kinds = EventKind.all.map { kind in
            Self.entry("    event_\(kind.name)", kind.writeSchema)
        }
        try Self.put(kinds.joined(), at: "    # The kinds of events.\n", into: &text)
        try Self.put(Self.alternatives, at: "      # Each kind of event.\n", into: &text)
        let paths = (reports.reports + reports.listings).map { report in
            Self.entry("  \(report.path)", report.writePath)
        }
        try Self.put(paths.joined(), at: "  # The reports.\n", into: &text)
        self.text = text
    }

    /// That an event is of one of the kinds, and that `kind` says which.
    private static var alternatives: String {
        let schemas = EventKind.all.map { ($0.name, "\"#/components/schemas/event_\($0.name)\"") }
        return "      oneOf:\n" + schemas.map { "        - $ref: \($0.1)\n" }.joined()
            + "      discriminator:\n        propertyName: kind\n        mapping:\n"
            + schemas.map { "          \($0.0): \($0.1)\n" }.joined()
    }

    private static func entry(_ key: String, _ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(capacity: 8192)
        write(&json)
        return "\(key): \(String(decoding: json.bytes, as: UTF8.self))\n"
    }

    private static func put(_ lines: String, at mark: String, into text: inout String) throws(SchemaError) {
        guard let range = text.firstRange(of: mark) else {
            throw SchemaError("docs/openapi.yaml has no line \(mark)")
        }
        text.insert(contentsOf: lines, at: range.upperBound)
    }
}
