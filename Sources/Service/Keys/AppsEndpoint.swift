internal import Administration
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents

/// `/v1/apps`: a key of scope admin sees its own app, and creates others, each with a key of its own. It has no access to those
/// itself.
struct AppsEndpoint: Sendable {
    let administration: Administration
    let body: JSONBody

    private struct Wanted: RequestBody {
        var name: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name
        }
    }

    var routes: [Route] {
        [
            Route(
                method: .get,
                template: "/v1/apps",
                handler: .keyed([.admin]) { _, _, grant in try await list(grant) }
            ),
            Route(
                method: .post,
                template: "/v1/apps",
                handler: .keyed([.admin]) { request, context, grant in try await make(request, context, grant) }
            ),
        ]
    }

    private func list(_ grant: Grant) async throws -> Response {
        let app = try await administration.app(grant.appName)
        return .list("apps", [app], bytes: 256) { app, json in
            json.field("name", app.name)
            json.field("keep_reply_text", app.keepsReplyText)
            json.field("hash_ids", app.hashesIDs)
            json.field("created_at", app.createdAt)
            json.field("dimensions", app.dimensions)
        }
    }

    private func make(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let accepts = #"an object such as {"name": "shop"}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        guard App.isName(wanted.name) else { throw Problem.badParameter(App.nameRule) }
        let key: APIKey
        do {
            key = try await administration.createApp(wanted.name, by: grant.keyID)
        } catch let refusal as DelegationRefusal {
            throw Problem(refusal, of: "apps made by keys: delete one with `notilog apps delete`")
        }
        return .made {
            $0.field("name", wanted.name)
            $0.name("key")
            $0.object { key.write(to: &$0) }
        }
    }
}
