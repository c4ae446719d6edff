internal import Administration
internal import HTTPTypes
internal import Hummingbird
internal import NotificationEvents

/// One thing that the service answers.
struct Route: Sendable {
    /// Who may ask.
    enum Handler: Sendable {
        /// Anybody.
        case open(@Sendable (Request, ServiceContext) async throws -> Response)
        /// A key of one of the scopes.
        case keyed([Scope], @Sendable (Request, ServiceContext, Grant) async throws -> Response)
    }

    let method: HTTPRequest.Method
    /// The path with its parameters' names in braces: what logs and metrics say instead of the path.
    let template: String
    private(set) var handler: Handler
    /// Whether successes are logged only at level debug, because they are frequent.
    var isQuiet = false
    /// Whether it is answered on a spare seat too, when all connections or request slots are in use.
    var isForProbes = false
    /// Whether a key may also come as the user of HTTP's basic authentication (RFC 7617).
    var takesBasicKey = false
    /// Whether it takes events, which senders send again with the same ids.
    var takesEvents = false

    /// Whether it needs no key.
    var isOpen: Bool {
        if case .open = handler { true } else { false }
    }

    static func open(
        _ template: String,
        isQuiet: Bool = false,
        isForProbes: Bool = false,
        _ handle: @escaping @Sendable (Request, ServiceContext) async throws -> Response
    ) -> Route {
        Route(method: .get, template: template, handler: .open(handle), isQuiet: isQuiet, isForProbes: isForProbes)
    }

    /// The same route, limited to the app's share.
    func within(_ shares: WaitingSlots) -> Route {
        guard case .keyed(let scopes, let handle) = handler else { return self }
        var route = self
        route.handler = .keyed(scopes) { request, context, grant in
            try await shares.share(of: grant.appID) { try await handle(request, context, grant) }
        }
        return route
    }

    /// A route for keys that may read.
    static func reading(
        _ template: String,
        _ handle: @escaping @Sendable (Request, ServiceContext, Grant) async throws -> Response
    ) -> Route {
        Route(method: .get, template: template, handler: .keyed([.read, .admin], handle))
    }
}
