internal import Administration
internal import Exports
internal import Gzip
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Reports

/// `GET /v1/export/{dataset}`: everything after a cursor, up to a bound that is fixed before the first byte.
struct ExportEndpoint: Sendable {
    /// The reader of each database that the log is in, by its number; that of the coordinator first.
    let readers: [(cell: Int16, reader: ExportReader)]
    let keys: KeyDirectory
    /// The shares of apps in the connections that chunks are read on.
    private let reading: WaitingSlots
    /// With a mebibyte a chunk, that many slow readers cost the service some tens of mebibytes.
    private let slots = Slots(limit: 16, appLimit: 8)
    private static let chunkBytes = 1 << 20
    /// How much of a chunk is written to the connection at once. Until then the rest is not copied into the connection's
    /// buffers.
    private static let pieceBytes = 1 << 18

    init(readers: [(cell: Int16, reader: ExportReader)], keys: KeyDirectory, reading: WaitingSlots) {
        self.readers = readers
        self.keys = keys
        self.reading = reading
    }

    var routes: [Route] {
        [
            .reading("/v1/export/{dataset}") { request, context, grant in
                try await answer(try context.pathParameter("dataset"), request, grant)
            }
        ]
    }

    private func answer(_ name: String, _ request: Request, _ grant: Grant) async throws -> Response {
        let query = try Query(request)
        try query.expect(only: ["after", "format", "min_position"])
        let dataset = try await reading.share(of: grant.appID) { try await readers[0].reader.dataset(name) }
        let format =
            try query.last("format").map { name throws(ExportError) in try ExportFormat(name: name) }
            ?? .negotiate(request.headers[.accept])
        let origin = ExportPositions.Origin(dataset: name, app: grant.appID)
        // A client that has no cursor yet sends an empty one.
        let after = try query.last("after").flatMap { text throws(Problem) -> ExportPositions? in
            if text.isEmpty { return nil }
            guard let positions = ExportPositions(text), positions.isOf(origin),
                positions.isWithin(readers.map(\.cell), isAlone: readers.count == 1)
            else { throw Problem.badExportCursor }
            return positions
        }
        let minPositions = try query.last("min_position").map { text throws(ReportError) in
            try ReportParameters.minPositions(text)
        }
        let slot = try slots.take(grant.appID)
        var ranges: [ExportRange] = []
        var next: [Int16: ExportPosition] = [:]
        for (cell, reader) in readers {
            let findBound = { try await reader.bound(dataset, app: grant.appID, minPositions: minPositions ?? []) }
            // Numbering has connections and turns of its own.
            let bound = dataset.isLog ? try await reading.share(of: grant.appID, findBound) : try await findBound()
            if let after = after?[cell] {
                try await reading.share(of: grant.appID) {
                    guard try await reader.isValid(after, of: dataset) else { throw Problem.logWentBack }
                    guard after.number <= bound.number else { throw Problem.badExportCursor }
                    guard try await reader.holds(after, of: dataset) else { throw Problem.eventsDropped }
                }
            }
            ranges.append(ExportRange(after: after?[cell]?.number ?? 0, upTo: bound.number))
            next[cell] = bound
        }
        let bound = ExportPositions(next, of: origin, isAlone: readers.count == 1)
        let isCompressed = request.headers.acceptsGzip
        return Response(
            status: .ok,
            headers: Self.headers(name, format, next: bound, isCompressed: isCompressed),
            body: ResponseBody { [readers, keys, reading, ranges] writer in
                // Read only after the previous chunk was sent: a slow client delays only itself.
                defer { withExtendedLifetime(slot) {} }
                let (chunkBytes, pieceBytes) = (Self.chunkBytes, Self.pieceBytes)
                let gzip = isCompressed ? Gzip() : nil
                for (index, (cell, reader)) in readers.enumerated() {
                    let stream = try reader.stream(
                        dataset,
                        app: grant.appID,
                        ranges[index],
                        as: format,
                        chunkBytes: chunkBytes,
                        writesHeader: cell == 0
                    )
                    while let bytes = try await reading.share(
                        of: grant.appID,
                        isUnderWay: true,
                        { try await stream.next() }
                    ) {
                        // Cut off without the last chunk, so that the client does not take it as complete.
                        guard keys.isActive(grant) else { throw Problem.keyRevoked }
                        let chunk = gzip.map { $0.compress(bytes) } ?? bytes
                        for start in stride(from: 0, to: chunk.count, by: pieceBytes) {
                            let piece = chunk[start..<min(start + pieceBytes, chunk.count)]
                            try await writer.write(ByteBuffer(bytes: piece))
                        }
                    }
                }
                if let gzip { try await writer.write(ByteBuffer(bytes: gzip.finish())) }
                try await writer.finish(nil)
            }
        )
    }

    private static func headers(
        _ dataset: String,
        _ format: ExportFormat,
        next: ExportPositions,
        isCompressed: Bool
    ) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: format.contentType, .cacheControl: "no-store", .vary: "Accept, Accept-Encoding",
            .nextCursor: next.description,
            .link: "</v1/export/\(dataset)?after=\(next)&format=\(format.rawValue)>; rel=\"next\"",
        ]
        if isCompressed { headers[.contentEncoding] = "gzip" }
        return headers
    }
}
