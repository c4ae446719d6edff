import Foundation
import Testing

@testable import NotilogClient

/// The vectors that a client in any language can play: Tests/Conformance.
@Suite("Conformance")
struct ConformanceTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let json: Data
        var testDescription: String { name }
    }

    static let vectors: [Vector] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("Tests/Conformance/vectors.json")
        guard let data = try? Data(contentsOf: file),
            let list = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any],
            let vectors = list["vectors"] as? [[String: Any]]
        else { return [] }
        return vectors.compactMap { vector in
            (try? JSONSerialization.data(withJSONObject: vector)).map {
                Vector(name: vector["name"] as? String ?? "", json: $0)
            }
        }
    }()

    @Test("There are vectors of every kind that a client sends")
    func complete() throws {
        let kinds = try Self.vectors.flatMap { try Self.fields($0.json)["events"] as? [[String: Any]] ?? [] }
            .compactMap { $0["kind"] as? String }
        #expect(
            Set(kinds).isSuperset(of: [
                "request", "delivery", "presentation", "action_response", "dismissal", "removal",
                "authorization_request", "open_settings", "settings", "token", "category_registration", "app_open",
                "conversion", "permission_prompt", "live_activity",
            ])
        )
    }

    @Test("The client makes of each vector's callbacks its events", arguments: vectors)
    func vector(vector: Vector) async throws {
        let fields = try Self.fields(vector.json)
        let steps = try #require(fields["steps"] as? [[String: Any]])
        let expected = try #require(fields["events"] as? [[String: Any]])
        try await withFolder { folder in
            let clock = TestClock()
            var options = Notilog.Options()
            options.folder = folder
            options.sendsAutomatically = false
            options.limits.durability = .processEnd
            options.clock = clock
            options.context = { .sample }
            let notilog = Notilog(url: folder, writeKey: "key", deviceID: "d", options: options)
            for step in steps {
                let date = try #require(CallbackPlayer.date(step["at"]))
                clock.state.withLock { $0.now = date }
                try CallbackPlayer(notilog: notilog).play(step)
            }
            var found = try notilog.storage.oldest(100, bytes: .max).map { try Self.fields($0.json) }
            for index in found.indices {
                #expect(found[index]["id"] is String && found[index]["device_id"] as? String == "d")
                for name in ["id", "device_id", "context"] { found[index][name] = nil }
            }
            var variables: [String: String] = [:]
            let meant = zip(expected, found).map { Self.filled($0, from: $1, &variables) }
            #expect(found.count == expected.count)
            #expect(found as NSArray == meant as NSArray)
        }
    }

    /// An expected event whose variables have the values that were found.
    private static func filled(
        _ expected: [String: Any],
        from found: [String: Any],
        _ variables: inout [String: String]
    ) -> [String: Any] {
        var event = expected
        for (name, value) in expected {
            guard let variable = value as? String, variable.hasPrefix("$") else { continue }
            if variables[variable] == nil { variables[variable] = found[name] as? String }
            event[name] = variables[variable] ?? ""
        }
        return event
    }

    private static func fields(_ json: Data) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
    }
}
