import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Testing

@testable import Folds

/// The log keeps `data` of most events as text that PostgreSQL has not parsed. Whoever parses it later must be able to.
@Suite("Events kept as text")
struct EventTextTests {
    /// A request with an attribute of any value.
    private static func event(_ number: Int, _ value: String) throws -> NormalisedEvent {
        let item = """
            {"kind":"request","occurred_at":"2026-01-15T12:00:00Z","device_id":"d","notification_id":"n-\(number)",
             "attributes":{"v":\(value)}}
            """
        return try EventFixture.decode(item)
    }

    @Test("PostgreSQL parses whatever the decoder takes, and folds read numbers as it does")
    func numbers() async throws {
        let bounds = [Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, -1e22, 1e16, 1e-5, -0.0, 123_456_789.125]
        let random = (0..<500).map { _ in Double(bitPattern: .random(in: 0 ... .max)) }.filter(\.isFinite)
        let written =
            (bounds + random).map { "\($0)" } + ["18446744073709551615", "-9223372036854775808", "1E5", "0.10"]
        for stored in try await stored(written) {
            #expect(Self.number(in: stored.text) == stored.value, "\(stored.text)")
        }
    }

    /// The attribute, as folds read it.
    private static func number(in data: String) -> String {
        var names = SymbolTable()
        let symbol: Symbol = Array(data.utf8).withUnsafeBytes { bytes in
            guard let value = bytes.member("attributes")?.member("v") else { return Symbol.none }
            return value.text(in: &names)
        }
        return names.string(symbol)
    }

    @Test("strings of any characters are what was sent")
    func strings() async throws {
        let ascii = (1...0x7F).map { Character(Unicode.Scalar(UInt8($0))) }
        let characters: [Character] = ascii + ["ü", "漢", "😀", "\u{FFFF}", "\u{2028}"]
        let sent = characters.map { "a\($0)b" } + [String(characters), "}", "\"scheduled_for\"", "],\\", "\\u0041"]
        let written = try sent.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        #expect(try await stored(written).map(\.value) == sent)
    }

    private struct Stored {
        let text: String
        /// The attribute, as PostgreSQL reads it.
        let value: String
    }

    /// Stores an event of each value, and gives them back in their order.
    private func stored(_ values: [String]) async throws -> [Stored] {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let events = try values.enumerated().map { try Self.event($0, $1) }
                let results = try await test.log.append(events, app: 1)
                for result in results {
                    guard case .stored = result else { throw FixtureError("not stored: \(result)") }
                }
                let connection = try await database.connect()
                let kept: Int64 = try await connection.value("SELECT count(data_text) FROM log.event")
                #expect(kept > values.count / 2, "as text")
                let rows = try await connection.query(
                    """
                    SELECT data_text, data->'attributes'->>'v' FROM log.upcast_event
                    ORDER BY substr(notification_id, 3)::integer
                    """
                )
                return try rows.map { Stored(text: try $0.get(0), value: try $0.get(1)) }
            }
        }
    }
}
