internal import HTTPTypes
internal import Hummingbird
internal import Metrics

/// Every route of the service, and the responder made of them.
struct RouteTable {
    let routes: [Route]
    let keys: KeyDirectory
    let connections: Connections
    let factory: any MetricsFactory
    private let log = RequestLog()

    init(routes: [Route], keys: KeyDirectory, connections: Connections, factory: any MetricsFactory) {
        (self.routes, self.keys, self.connections, self.factory) = (routes, keys, connections, factory)
    }

    /// A responder for the routes; other methods of their paths are answered 405, other paths 404.
    func makeResponder() -> RouterResponder<ServiceContext> {
        let router = Router(context: ServiceContext.self)
        var known: [UnknownRoute.Path] = []
        for (template, routes) in Dictionary(grouping: routes, by: \.template) {
            var allowed: [HTTPRequest.Method] = []
            for route in routes {
                let responder = responder(route)
                router.on(RouterPath(template), method: route.method, responder: responder)
                allowed.append(route.method)
                if route.method == .get {
                    router.on(RouterPath(template), method: .head, responder: responder)
                    allowed.append(.head)
                }
            }
            let refused = allowed
            known.append(
                UnknownRoute.Path(template: template, responder: refusal(template) { .methodNotAllowed(refused) })
            )
        }
        let templates = Set(routes.map(\.template)).sorted()
        // Added last, so that it handles only requests that no route took.
        let unknown = refusal("none") { .noRoute(templates) }
        router.add(middleware: UnknownRoute(known: known, unknown: unknown))
        return router.buildResponder()
    }

    /// Answers every method alike, and is counted under its template.
    private func refusal(_ template: String, _ problem: @escaping @Sendable () -> Problem) -> RouteResponder {
        responder(Route(method: .init("ANY") ?? .get, template: template, handler: .open { _, _ in throw problem() }))
    }

    private func responder(_ route: Route) -> RouteResponder {
        RouteResponder(
            route: route,
            keys: keys,
            connections: connections,
            metrics: RouteMetrics(route, factory: factory),
            log: log
        )
    }
}

/// Answers requests without a route: a known path with another method, or an unknown path.
private struct UnknownRoute: RouterMiddleware {
    struct Path {
        private let segments: [String]
        let responder: RouteResponder

        init(template: String, responder: RouteResponder) {
            segments = template.split(separator: "/").map(String.init)
            self.responder = responder
        }

        func matches(_ path: [Substring]) -> Bool {
            segments.count == path.count && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }

    let known: [Path]
    let unknown: RouteResponder

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path.split(separator: "/")
        let responder = known.first { $0.matches(path) }?.responder ?? unknown
        return try await responder.respond(to: request, context: context)
    }
}
