internal import Administration
internal import EventLog
internal import Exports
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Ingestion
internal import Logging
internal import NIOHTTP1
internal import Postgres
internal import Reports

/// Answers the requests of one route: checks the key, calls the handler, turns errors into problem details, measures
/// and logs.
struct RouteResponder: HTTPResponder {
    let route: Route
    let keys: KeyDirectory
    let connections: Connections
    let metrics: RouteMetrics
    let log: RequestLog

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let start = ContinuousClock.now
        let seat = connections.seat(of: context.connection)
        var response: Response
        do {
            if seat?.isSpare == true, !route.isForProbes { throw Problem.overloaded(wait: connections.wait) }
            response = try await answer(request, context, seat)
        } catch let error as HTTPParserError {
            // Hummingbird answers a request that is not HTTP, and closes the connection.
            throw error
        } catch {
            let problem = Self.problem(of: error, route: route, context.logger)
            response = (route.takesEvents ? problem.forSender : problem).response
            response.headers[.requestID] = context.id
        }
        if seat?.isSpare == true { response.headers[.connection] = "close" }
        if request.method == .head { response = Self.head(of: response) }
        if response.body.contentLength == nil {
            // A streamed body takes longer than its head, and may break off.
            let (body, method, status) = (response.body, request.method, response.status)
            response.body = ResponseBody { writer in
                do {
                    try await body.write(writer)
                    end(method, status, since: start, context)
                } catch {
                    let problem = Self.problem(ofBody: error, route: route, context.logger)
                    end(method, problem.status, since: start, context, isComplete: false)
                    throw error
                }
            }
        } else {
            end(request.method, response.status, since: start, context, isOnSpareSeat: seat?.isSpare == true)
        }
        return response
    }

    /// The answer to HEAD: with the length that GET's has, if that is known beforehand.
    static func head(of response: Response) -> Response {
        guard response.body.contentLength == nil else { return response.createHeadResponse() }
        var head = response
        head.body = ResponseBody { writer in try await writer.finish(nil) }
        return head
    }

    /// Counts and logs a request that has been answered.
    private func end(
        _ method: HTTPRequest.Method,
        _ status: HTTPResponse.Status,
        since start: ContinuousClock.Instant,
        _ context: ServiceContext,
        isComplete: Bool = true,
        isOnSpareSeat: Bool = false
    ) {
        let duration = start.duration(to: .now)
        metrics.record(status, duration)
        log.write(route, method, status, duration, context, isComplete: isComplete, isOnSpareSeat: isOnSpareSeat)
    }

    /// The problem that broke off a body. If neither the store, the report nor the key is at fault, the client hung up.
    static func problem(ofBody error: any Error, route: Route, _ logger: Logger) -> Problem {
        switch error {
        case is PostgresError, is Problem:
            return Self.problem(of: error, route: route, logger)
        case is ReportError, is ExportError:
            let problem = Self.problem(of: error, route: route, logger)
            // The client has seen 200, and no problem: the log alone can say why the rest is missing.
            logger.warning(
                "an answer was broken off: its code says why",
                metadata: RequestLog.fields(route, ["code": "\(problem.code)"])
            )
            return problem
        default:
            return .abandoned
        }
    }

    private nonisolated(nonsending) func answer(_ request: Request, _ context: ServiceContext, _ seat: Seat?)
        async throws -> Response
    {
        switch route.handler {
        case .open(let handle):
            return try await handle(request, context)
        case .keyed(let scopes, let handle):
            let grant = try await keys.authenticate(
                request.headers.value(.authorization),
                takesBasic: route.takesBasicKey
            )
            seat?.hasShownKey()
            guard scopes.contains(grant.scope) else { throw Problem.forbidden(grant.scope, needs: scopes) }
            return try await handle(request, context, grant)
        }
    }

    static func problem(of error: any Error, route: Route, _ logger: Logger) -> Problem {
        switch error {
        case let problem as Problem:
            return problem
        case let error as IngestionError:
            return Problem(error)
        case let error as AppendError:
            return Problem(error)
        case let error as ReportError:
            return Problem(error)
        case let error as ExportError:
            return Problem(error)
        case is CancellationError:
            return .stopping
        case let error as PostgresError:
            if let problem = Problem(error) {
                logger.warning(
                    "PostgreSQL was unavailable to a request: the sender is told when to try again",
                    metadata: RequestLog.fields(route, ["error": "\(error)"])
                )
                return problem
            }
            logger.error(
                "a statement failed and its request was answered 500: report the error",
                metadata: RequestLog.fields(route, ["error": "\(error)"])
            )
            return .internalError
        default:
            // Only its type: nobody knows what an unexpected error quotes.
            let type = String(describing: type(of: error))
            logger.error(
                "a request failed unexpectedly and was answered 500: report the type of the error",
                metadata: RequestLog.fields(route, ["error": "\(type)"])
            )
            return .internalError
        }
    }
}
