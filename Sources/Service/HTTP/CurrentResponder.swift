internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Synchronization

/// Answers with the parts of the service that are in use: others take their place while the server goes on.
final class CurrentResponder: HTTPResponder {
    /// Routes, and the requests that they answer now.
    final class Routes: Sendable {
        fileprivate let responder: RouterResponder<ServiceContext>
        fileprivate let underWay = Mutex(0)

        init(_ responder: RouterResponder<ServiceContext>) { self.responder = responder }

        /// Whether they answer nothing now.
        var isIdle: Bool { underWay.withLock { $0 == 0 } }

        fileprivate func leave() { underWay.withLock { $0 -= 1 } }
    }

    private let routes: Mutex<Routes>

    init(_ routes: Routes) { self.routes = Mutex(routes) }

    /// Answers requests from now on with others. Those under way go on.
    func change(to others: Routes) { routes.withLock { $0 = others } }

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let routes = routes.withLock { routes in
            routes.underWay.withLock { $0 += 1 }
            return routes
        }
        var response: Response
        do {
            response = try await routes.responder.respond(to: request, context: context)
        } catch {
            routes.leave()
            throw error
        }
        guard response.body.contentLength == nil else {
            routes.leave()
            return response
        }
        // A streamed body reads on after its head.
        let body = response.body
        response.body = ResponseBody { writer in
            defer { routes.leave() }
            try await body.write(writer)
        }
        return response
    }
}
