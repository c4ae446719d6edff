import Foundation
import NotificationEvents
import PlainHTTP
import Testing
import Yams

/// The description of the API says what the service does: its routes, its reports, its kinds of events, its examples.
@Suite(.serialized)
struct OpenAPITests {
    private typealias Object = [String: Any]

    private func document(_ service: ServiceFixture) async throws -> Object {
        let answer = try await service.client.get("/v1/openapi.yaml")
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/yaml")
        return try #require(try Yams.load(yaml: answer.text) as? Object)
    }

    @Test func itHasEveryRouteAndNoOther() async throws {
        try await ServiceFixture.run { service in
            let paths = try #require(try await document(service)["paths"] as? [String: Object])
            // Each report has a path of its own there, and all share one route.
            func template(_ path: String) -> String {
                path.hasPrefix("/v1/reports/") ? "/v1/reports/{name}" : path
            }
            struct Unknown: Decodable {
                var accepted: [String]
            }
            let unknown = try await service.client.get("/nothing")
            #expect(unknown.status == 404)
            #expect(Set(try unknown.decoded(Unknown.self).accepted) == Set(paths.keys.map(template)))
            for (path, item) in paths {
                let concrete = path.replacing(/{\w+}/, with: "x")
                // Not even one that nobody has heard of is taken for another path.
                #expect(try await service.client.get(concrete, method: "QUERY").status == 405)
                let answer = try await service.client.get(concrete, method: "OPTIONS")
                #expect(answer.status == 405)
                let allowed = answer.headers["allow"]?.split(separator: ", ").filter { $0 != "HEAD" } ?? []
                let described = item.keys.filter { $0 != "parameters" }.map { $0.uppercased() }
                #expect(Set(allowed.map(String.init)) == Set(described), "\(path)")
            }
        }
    }

    /// What the answer of a report is said to have in its rows.
    private func rowColumns(_ get: Object) throws -> Set<String> {
        var item = get
        for name in ["responses", "200", "content", "application/json", "schema"] {
            item = try #require(item[name] as? Object)
        }
        item = try #require((item["allOf"] as? [Object])?.last)
        for name in ["properties", "rows", "items", "properties"] { item = try #require(item[name] as? Object) }
        return Set(item.keys)
    }

    @Test func itHasEveryReportAndKind() async throws {
        try await ServiceFixture.run { service in
            let document = try await document(service)
            struct Catalogue: Decodable {
                struct Report: Decodable {
                    struct Parameter: Decodable {
                        var name: String
                        var type: String
                    }
                    var name: String
                    var parameters: [Parameter]
                    struct Column: Decodable {
                        var name: String
                    }
                    var filters: [String]
                    var columns: [Column]
                }
                var reports: [Report]
                var listings: [Report]
            }
            let answer = try await service.client.get("/v1/reports", key: service.app.read)
            let paths = try #require(document["paths"] as? [String: Object])
            let catalogue = try answer.decoded(Catalogue.self)
            #expect(!catalogue.reports.isEmpty && catalogue.listings.map(\.name) == ["notifications"])
            let described = catalogue.reports.map { ("/v1/reports/\($0.name)", $0) }
            for (path, report) in described + catalogue.listings.map({ ("/v1/\($0.name)", $0) }) {
                let get = try #require(paths[path]?["get"] as? Object)
                let parameters = try #require(get["parameters"] as? [Object])
                let names = parameters.compactMap { $0["name"] as? String }
                #expect(names == report.parameters.map(\.name) + report.filters)
                #expect(try rowColumns(get) == Set(report.columns.map(\.name)), "the rows of \(path)")
            }
            let schemas = try #require((document["components"] as? Object)?["schemas"] as? [String: Object])
            let types = try #require(schemas["Definition"]?.description)
            for type in Set(described.flatMap(\.1.parameters).map(\.type)) {
                #expect(types.contains("\"\(type)\""), "a parameter's type \(type)")
            }
            let event = try #require(schemas["Event"]?["oneOf"] as? [Object])
            #expect(event.count == EventKind.all.count)
            let cloudEvent = try #require(schemas["CloudEvent"]?["properties"] as? [String: Object])
            #expect(cloudEvent["type"]?["enum"] as? [String] == EventKind.all.map { "notilog.\($0.name)" })
            for kind in EventKind.all {
                let schema = try #require(schemas["event_\(kind.name)"])
                let properties = try #require(schema["properties"] as? Object)
                #expect(Set(properties.keys) == Set(kind.fields.map(\.name)))
            }
        }
    }

    @Test func itsExamplesAreTaken() async throws {
        try await ServiceFixture.run { service in
            let document = try await document(service)
            let paths = try #require(document["paths"] as? [String: Object])
            // What the digest of the examples is of.
            let view = #"{"report":"engagement"}"#
            #expect(
                try await service.send("PUT", "/v1/views/news%20by%20week", view, key: service.app.admin).status == 201
            )
            var sent = 0
            for (path, item) in paths {
                guard let post = item["post"] as? Object else { continue }
                let isOfEvents = post["tags"] as? [String] != ["administration"]
                let content = try #require((post["requestBody"] as? Object)?["content"] as? [String: Object])
                for (type, media) in content {
                    for (name, example) in try #require(media["examples"] as? [String: Object]) {
                        let value = try #require(example["value"])
                        let body =
                            try value as? String
                            ?? String(decoding: JSONSerialization.data(withJSONObject: value), as: UTF8.self)
                        let headers = [("Content-Type", type)]
                        let answer = try await service.post(
                            path.replacing("{call}", with: "batch"),
                            body,
                            key: isOfEvents ? service.app.provider : service.app.admin,
                            headers: headers
                        )
                        sent += 1
                        guard isOfEvents else {
                            #expect(answer.status == 201, "\(path) \(name): \(answer.text)")
                            continue
                        }
                        #expect(answer.status == 200, "\(path) \(name): \(answer.text)")
                        #expect(try answer.events.rejected == 0, "\(path) \(name): \(answer.text)")
                    }
                }
            }
            #expect(sent == 5 + 2 * 4 + 5)
            let schemas = try #require((document["components"] as? Object)?["schemas"] as? [String: Object])
            for (name, schema) in schemas where name.hasPrefix("event_") {
                for example in try #require(schema["examples"] as? [Any]) {
                    let body = String(decoding: try JSONSerialization.data(withJSONObject: example), as: UTF8.self)
                    let answer = try await service.client.post(body, key: service.app.provider)
                    #expect(answer.status == 200, "\(name): \(answer.text)")
                }
            }
        }
    }
}
