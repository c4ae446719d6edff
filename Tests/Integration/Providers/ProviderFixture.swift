import Foundation
import PlainHTTP
import Testing

extension ServiceFixture {
    /// Posts a body to any path.
    func post(
        _ path: String,
        _ body: String,
        key: String? = nil,
        headers: [(String, String)] = [("Content-Type", "application/json")]
    ) async throws -> HTTPAnswer {
        let authorization = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await client.connection.send("POST", path, headers: headers + authorization, body: Array(body.utf8))
    }

    /// The rows of a report that takes in everything up to a position.
    func report(_ query: String, after position: Int64) async throws -> [[String: Any]] {
        let mark = query.contains("?") ? "&" : "?"
        let answer = try await client.get("/v1/reports/\(query)\(mark)min_position=\(position)", key: app.read)
        try #require(answer.status == 200, "\(answer.text)")
        let document = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return try #require(document?["rows"] as? [[String: Any]])
    }
}

func json(_ value: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys]), as: UTF8.self)
}
