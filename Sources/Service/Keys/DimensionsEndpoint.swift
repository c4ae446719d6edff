internal import Administration
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents

/// `/v1/dimensions`: the keys of `attributes` that the app named as dimensions of its own. Keys that may read reports group and
/// filter by them; keys of scope admin name them.
struct DimensionsEndpoint: Sendable {
    let administration: Administration
    let body: JSONBody

    private struct Wanted: RequestBody {
        var dimensions: [String]

        enum CodingKeys: String, CodingKey, CaseIterable {
            case dimensions
        }
    }

    var routes: [Route] {
        [
            .reading("/v1/dimensions") { request, _, grant in
                try Query(request).expect(only: [])
                return Self.response(try await administration.dimensions(app: grant.appID))
            },
            Route(
                method: .put,
                template: "/v1/dimensions",
                handler: .keyed([.admin]) { request, context, grant in try await name(request, context, grant) }
            ),
        ]
    }

    private func name(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let accepts = #"an object such as {"dimensions": ["order_type"]}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        guard App.areDimensions(wanted.dimensions) else { throw Problem.badParameter(App.dimensionRule) }
        do {
            try await administration.nameDimensions(app: grant.appID, wanted.dimensions)
        } catch let error as TooManyDimensions {
            throw Problem(.conflict, "too_many", error.description)
        }
        return Self.response(wanted.dimensions)
    }

    private static func response(_ dimensions: [String]) -> Response {
        .object { $0.field("dimensions", dimensions) }
    }
}
