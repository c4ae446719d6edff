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
        /// Whoever has a key of one of the scopes.
        case keyed([Scope], @Sendable (Request, ServiceContext, Grant) async throws -> Response)
    }

    let method: HTTPRequest.Method
    /// The path with its parameters' names in braces: what logs and metrics say instead of the path.
    let template: String
    let handler: Handler
    /// Whether successes are only logged when the log level is debug, as there are so many of them.
    var isQuiet = false
    /// Whether it is answered by a spare place too, where all connections and all requests that there may be are under way.
    var isForWatchers = false
    /// Whether a key may also come as the user of HTTP's basic authentication (RFC 7617).
    var takesBasicKey = false

    static func open(
        _ template: String,
        isQuiet: Bool = false,
        isForWatchers: Bool = false,
        _ handle: @escaping @Sendable (Request, ServiceContext) async throws -> Response
    ) -> Route {
        Route(method: .get, template: template, handler: .open(handle), isQuiet: isQuiet, isForWatchers: isForWatchers)
    }

    /// A route for keys that may read.
    static func reading(
        _ template: String,
        _ handle: @escaping @Sendable (Request, ServiceContext, Grant) async throws -> Response
    ) -> Route {
        Route(method: .get, template: template, handler: .keyed([.read, .admin], handle))
    }
}
