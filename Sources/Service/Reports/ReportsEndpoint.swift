internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Reports

/// `GET /v1/reports`, the catalogue, and `GET /v1/reports/{name}`.
struct ReportsEndpoint: Sendable {
    let runner: ReportRunner

    var routes: [Route] {
        [
            .reading("/v1/reports") { request, _, _ in
                try Query(request).expect(only: [])
                return catalogue
            },
            .reading("/v1/reports/{name}") { request, context, grant in
                try await report(try context.pathParameter("name"), request, grant)
            },
        ]
    }

    private func report(_ name: String, _ request: Request, _ grant: Grant) async throws -> Response {
        do {
            let parameters = try ReportParameters(Query(request).items, for: try runner.catalogue.report(name))
            let format = try parameters.format ?? .negotiate(request.headers[.accept])
            let result = try await runner.run(parameters, app: grant.appName)
            let chunks = result.chunks(format)
            return Response(
                status: .ok,
                headers: [.contentType: format.contentType, .cacheControl: "no-store", .vary: "Accept"],
                body: ResponseBody { writer in
                    for chunk in chunks { try await writer.write(ByteBuffer(bytes: chunk)) }
                    try await writer.finish(nil)
                }
            )
        } catch let error as ReportError {
            throw Problem(error)
        }
    }

    private var catalogue: Response {
        var json = JSONWriter(capacity: 16_384)
        json.object {
            $0.name("reports")
            $0.array { json in
                for report in runner.catalogue.reports { report.write(to: &json) }
            }
        }
        return .json(json)
    }
}
