internal import HTTPTypes
internal import Hummingbird
internal import Metrics

/// Every route of the service, and the responder made of them.
struct RouteTable {
    let routes: [Route]
    let keys: KeyDirectory
    let factory: any MetricsFactory

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

    /// A responder for the routes; other methods of their paths are answered 405, other paths 404.
    func makeResponder() -> RouterResponder<ServiceContext> {
        let router = Router(context: ServiceContext.self)
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
            let others = Self.methods.filter { !allowed.contains($0) }
            for method in others {
                let refused = allowed
                let route = Route(
                    method: method,
                    template: template,
                    handler: .open { _, _ in throw Problem.methodNotAllowed(refused) }
                )
                router.on(RouterPath(template), method: method, responder: responder(route))
            }
        }
        let templates = Set(routes.map(\.template)).sorted()
        // Added last, so that it stands before nothing but what no route took.
        let unknown = Route(
            method: .init("ANY") ?? .get,
            template: "none",
            handler: .open { _, _ in throw Problem.noRoute(templates) }
        )
        router.add(middleware: UnknownRoute(responder: responder(unknown)))
        return router.buildResponder()
    }

    private func responder(_ route: Route) -> RouteResponder {
        RouteResponder(route: route, keys: keys, metrics: RouteMetrics(route, factory: factory))
    }
}

/// Answers what no route took.
private struct UnknownRoute: RouterMiddleware {
    let responder: RouteResponder

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        try await responder.respond(to: request, context: context)
    }
}
