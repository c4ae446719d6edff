import Postgres
import Reports
import Testing

/// The own dimensions of the app of every world: what of `attributes` notifications are counted by.
enum LawOwnDimensions {
    static let keys = ["tier", "order_type"]
    /// As reports name them.
    static let names = keys.map { "attribute." + $0 }

    /// What reports take, with the app's own dimensions in place of what stands for them.
    static func named(_ accepted: [String]) -> [String] {
        accepted.flatMap { $0 == ReportDefinition.ownDimension ? names : [$0] }
    }
}

extension LawNotification {
    /// Its value of a key of `attributes`: of the message.
    func own(_ key: String) -> String? {
        first { event in
            switch event["attributes", key] {
            case .string(let text): 1...128 ~= text.utf8.count ? .string(text) : nil
            case .integer(let number): .string("\(number)")
            case .boolean(let isTrue): .string("\(isTrue)")
            case .number(let digits): .string(digits)
            case .array, .object, nil: nil
            }
        }
    }

    /// All of them, as the projection has them.
    var own: String? {
        let values = LawOwnDimensions.keys.compactMap { key in own(key).map { (key, LawValue.string($0)) } }
        return values.isEmpty ? nil : LawValue.object(Dictionary(uniqueKeysWithValues: values)).text
    }
}

extension Connection {
    /// Makes those of the first apps that are not there, and names the own dimensions of every app, before there are any events.
    func nameOwnDimensions(apps: Int) async throws {
        try await query(
            """
            INSERT INTO notilog.app (app_id, name) OVERRIDING SYSTEM VALUE
            SELECT n, 'app' || n FROM generate_series(1, $1::int8) AS n ORDER BY n ON CONFLICT DO NOTHING
            """,
            [.int8(Int64(apps))]
        )
        let results = try await query(
            "SELECT notilog.name_dimensions(app_id, $1) FROM notilog.app",
            [.texts(LawOwnDimensions.keys)]
        ).map { try $0.get(0, as: String?.self) }
        #expect(results.allSatisfy { $0 == "named" })
    }
}
