internal import Administration
internal import EventLog
internal import Gzip
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Reports
internal import Settings

/// `GET /v1/reports`, the catalogue, `GET /v1/reports/{name}`, and what lists single things, such as
/// `GET /v1/notifications`.
struct ReportsEndpoint: Sendable {
    private let runner: ReportRunner
    private let catalogues: CatalogueBodies
    private let slots: WaitingSlots
    private let room: AnswerRoom

    /// - Parameters:
    ///   - connections: for reading, of all apps.
    ///   - reading: the shares of apps in them.
    init(runner: ReportRunner, perKey: Int, connections: Int, reading: WaitingSlots) {
        self.runner = runner
        room = AnswerRoom(connections: connections, reading: reading)
        slots = WaitingSlots("reports", perKey: perKey)
        catalogues = CatalogueBodies(runner.catalogue)
    }

    /// Reads the setting: how many reports one key may have made at a time.
    static func perKey(_ settings: SettingsReader) -> Int {
        settings.integer(
            "reports.per_key",
            default: 2,
            atLeast: 1,
            atMost: 10_000,
            "concurrent reports of one key; more wait ten seconds, then 429"
        )
    }

    var routes: [Route] {
        let listings = runner.catalogue.listings.map { listing -> Route in
            .reading(listing.path) { request, context, grant in
                try await answer(request, context, grant, Query(request).items) { listing }
            }
        }
        return listings + [
            .reading("/v1/reports") { request, _, grant in
                try Query(request).expect(only: [])
                return catalogues.body(of: grant.appName).response(to: request, cacheControl: "private, no-cache")
            },
            .reading("/v1/reports/{name}") { request, context, grant in
                let name = try context.pathParameter("name")
                return try await answer(request, context, grant, name, Query(request).items)
            },
        ]
    }

    /// Checks the parameters of a report.
    ///
    /// - Throws: `ReportError`.
    func parameters(of name: String, _ pairs: [(name: String, value: String)]) throws -> ReportParameters {
        try ReportParameters(pairs, for: try runner.catalogue.report(name))
    }

    /// Checks all of the parameters of an app's report that is to run later.
    ///
    /// - Throws: `ReportError`; `PostgresError`.
    func check(_ name: String, _ pairs: [(name: String, value: String)], app: String) async throws {
        try await runner.check(try parameters(of: name, pairs), app: app)
    }

    /// The slots for a report that another endpoint runs: the key's, and the app's for reading from the database.
    ///
    /// - Throws: ``Problem`` 429 if none became free in time.
    func slots(of grant: Grant) async throws -> [Slot] {
        [
            try await slots.take(grant.keyID, of: grant.appID.description),
            try await room.reading.take(grant.appID.description),
        ]
    }

    /// Answers a report.
    ///
    /// - Parameter pairs: its parameters, which need not be those of the request.
    func answer(
        _ request: Request,
        _ context: ServiceContext,
        _ grant: Grant,
        _ name: String,
        _ pairs: [(name: String, value: String)]
    ) async throws -> Response {
        try await answer(request, context, grant, pairs) { () throws(ReportError) in try runner.catalogue.report(name) }
    }

    private func answer(
        _ request: Request,
        _ context: ServiceContext,
        _ grant: Grant,
        _ pairs: [(name: String, value: String)],
        _ definition: () throws(ReportError) -> ReportDefinition
    ) async throws -> Response {
        var begun: AbandonableWork?
        do {
            let parameters = try ReportParameters(pairs, for: try definition())
            let format = try parameters.format ?? .negotiate(request.headers[.accept])
            let slot = try await slots.take(grant.keyID, of: grant.appID.description)
            let app = (name: grant.appName, id: grant.appID)
            let answer = try await ReportAnswer.begin(runner, parameters, app: app, format, room) { cancel in
                let work = AbandonableWork(cancel: cancel)
                begun = work
                context.end(work)
            }
            let isCompressed = request.headers.acceptsGzip
            var headers: HTTPFields = [
                .contentType: format.contentType, .cacheControl: "no-store", .vary: "Accept, Accept-Encoding",
            ]
            if isCompressed { headers[.contentEncoding] = "gzip" }
            // Formats without a document around the rows have it only here.
            headers[.nextCursor] = answer.head.nextCursor
            headers[.rowsTotal] = answer.head.rowsTotal.map(String.init)
            let work = begun
            return Response(
                status: .ok,
                headers: headers,
                body: ResponseBody { writer in
                    defer { withExtendedLifetime(slot) {} }
                    let gzip = isCompressed ? Gzip() : nil
                    do {
                        while let chunk = try await answer.next() {
                            let part = gzip.map { $0.compress(chunk) } ?? chunk
                            if !part.isEmpty { try await writer.write(ByteBuffer(bytes: part)) }
                        }
                    } catch {
                        throw Self.unlessAbandoned(work, error)
                    }
                    if let gzip { try await writer.write(ByteBuffer(bytes: gzip.finish())) }
                    try await writer.finish(nil)
                }
            )
        } catch {
            // What is wrong with the report itself does not come of an interrupted connection.
            throw error is ReportError ? error : Self.unlessAbandoned(begun, error)
        }
    }

    /// The error of some work, or ``Problem/abandoned`` if the client hung up: then the connection to the database was
    /// interrupted on purpose.
    private static func unlessAbandoned(_ work: AbandonableWork?, _ error: any Error) -> any Error {
        work?.isAbandoned == true ? Problem.abandoned : error
    }
}
