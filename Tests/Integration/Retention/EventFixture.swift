import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres

/// A sample event of a released version of its kind: what was sent, and what the log then held.
///
/// Files are `Fixtures/events/v<version>/<kind>.json`. They are kept as they are for ever; those of a new version are
/// recorded with `NOTILOG_RECORD_FIXTURES=1 swift test --filter SchemaVersionTests`.
struct EventFixture: Sendable {
    let kind: String
    let version: Int16
    /// The event as it was sent, as JSON.
    let sent: String
    /// The row of the log but for its position, as JSON.
    let stored: String

    /// Every fixture's service received them at this time.
    static let receivedAt = Timestamp(seconds: 1_772_366_400)  // 2026-03-01T12:00:00Z
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/events")
    static let isRecording = ProcessInfo.processInfo.environment["NOTILOG_RECORD_FIXTURES"] == "1"

    /// All that there are, by version and kind.
    static func all() throws -> [EventFixture] {
        try folders(folder).flatMap { name -> [EventFixture] in
            guard let version = Int16(name.dropFirst()) else { throw FixtureError("\(name) is no version such as v1") }
            return try folders(folder.appendingPathComponent(name)).map { file in
                let data = try Data(contentsOf: folder.appendingPathComponent("\(name)/\(file)"))
                guard let fixture = try JSONSerialization.jsonObject(with: data) as? [String: Any],
                    let sent = fixture["sent"], let stored = fixture["stored"]
                else { throw FixtureError("\(name)/\(file) does not hold `sent` and `stored`") }
                return EventFixture(
                    kind: String(file.prefix { $0 != "." }),
                    version: version,
                    sent: try text(sent),
                    stored: try text(stored)
                )
            }
        }
    }

    private static func folders(_ url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix(".") }.sorted()
    }

    static func text(_ object: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: object, options: options), as: UTF8.self)
    }

    /// What this release makes of an event as it is sent.
    static func decode(_ sent: String) throws -> NormalisedEvent {
        let items = try EventDecoder().decode(
            Array(sent.utf8),
            format: .json,
            policy: DecodingPolicy(scope: .provider),
            receivedAt: receivedAt,
            sentAt: nil
        ).map(\.item)
        guard case .accepted(let event, let warnings)? = items.first, warnings.isEmpty else {
            throw FixtureError("not taken as it is: \(sent)")
        }
        return event
    }

    /// Stores the row in the log as it is, in whatever version it was written.
    func store(app: AppID, on connection: Connection) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT (jsonb_populate_record(NULL::log.event,
              $1 || jsonb_build_object('position', nextval('log.position'), 'app_id', $2::integer))).*
            """,
            [.jsonb(Array(stored.utf8)), .app(app)],
            cached: false
        )
    }

    /// Writes the fixtures of the version that is written now; those that are there stay.
    static func record(on connection: Connection) async throws {
        for kind in EventKind.all {
            let url = folder.appendingPathComponent("v\(kind.schemaVersion)/\(kind.name).json")
            guard !FileManager.default.fileExists(atPath: url.path) else { continue }
            let row: String = try await connection.query(
                """
                SELECT (jsonb_strip_nulls(to_jsonb(e) - '{data,data_text}'::text[]) - '{position,app_id}'::text[]
                  || jsonb_build_object('data', data))::text
                FROM log.upcast_event e WHERE kind = $1
                """,
                [.text(kind.name)]
            ).only().get(0)
            let object = [
                "sent": try JSONSerialization.jsonObject(with: Data(kind.sample.utf8)),
                "stored": try JSONSerialization.jsonObject(with: Data(row.utf8)),
            ]
            let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try JSONSerialization.data(withJSONObject: object, options: options).write(to: url)
        }
    }
}

struct FixtureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
