internal import Administration
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents

/// `/v1/keys`: the keys of the app that the request's own key belongs to, and of no other. For keys of scope admin.
struct KeysEndpoint: Sendable {
    let administration: Administration
    let body: JSONBody

    private struct Wanted: RequestBody {
        var scope: String
        var label: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case scope, label
        }
    }

    var routes: [Route] {
        [
            Route(
                method: .get,
                template: "/v1/keys",
                handler: .keyed([.admin]) { _, _, grant in try await list(grant) }
            ),
            Route(
                method: .post,
                template: "/v1/keys",
                handler: .keyed([.admin]) { request, context, grant in try await make(request, context, grant) }
            ),
            Route(
                method: .delete,
                template: "/v1/keys/{id}",
                handler: .keyed([.admin]) { _, context, grant in
                    try await revoke(try context.pathParameter("id"), grant)
                }
            ),
        ]
    }

    private func list(_ grant: Grant) async throws -> Response {
        let keys = try await administration.keys(app: grant.appName)
        return .list("keys", keys, bytes: 128) { key, json in
            json.field("id", key.id)
            json.field("scope", key.scope)
            json.field("label", key.label)
            json.field("created_at", key.createdAt)
            json.field("revoked_at", key.revokedAt)
        }
    }

    private func make(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let scopes = Scope.allCases.map(\.rawValue).joined(separator: ", ")
        let accepts = #"an object such as {"scope": "write", "label": "iOS app"}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        guard let scope = Scope(rawValue: wanted.scope) else {
            throw Problem.badParameter("scope is one of \(scopes)")
        }
        guard wanted.label.map({ $0.utf8.count <= 200 && !$0.utf8.contains(0) }) ?? true else {
            throw Problem.badParameter("label has 200 bytes at most, and no NUL")
        }
        let key: APIKey
        do {
            key = try await administration.createKey(scope: scope, label: wanted.label, by: grant.keyID)
        } catch let refusal as DelegationRefusal {
            throw Problem(refusal, of: "keys: revoke one that is of no use any more")
        }
        return .made { key.write(to: &$0) }
    }

    private func revoke(_ key: String, _ grant: Grant) async throws -> Response {
        guard try await administration.revokeKey(key, by: grant.keyID) else {
            throw Problem.notFound("the app has no such key: GET /v1/keys lists them")
        }
        return .object { $0.field("id", key) }
    }
}

extension APIKey {
    /// Writes the key with its text, which is shown once, to its creator.
    func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("key", text)
        json.field("scope", scope.rawValue)
    }
}

extension Problem {
    /// Why an admin key could not create an app or key.
    ///
    /// - Parameter things: what has reached its limit, and what to do about it.
    init(_ refusal: DelegationRefusal, of things: String) {
        switch refusal {
        case .taken: self.init(.conflict, "taken", "an app of that name exists: choose another")
        case .madeByKey:
            self.init(
                .forbidden,
                "made_by_key",
                "a key of an app that another key created cannot create apps: use the key that created it"
            )
        case .tooMany: self.init(.conflict, "too_many", "the app has reached its limit of \(things)")
        case .notAdmin: self = .unknownKey
        }
    }
}
