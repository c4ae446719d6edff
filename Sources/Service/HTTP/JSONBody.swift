internal import EventLog
internal import FoundationEssentials
internal import Hummingbird
internal import Ingest
internal import NIOCore

/// Small JSON bodies, of requests that are not for events.
struct JSONBody: Sendable {
    let admission: Admission

    private static let limit = 4096

    /// Reads a body.
    ///
    /// - Parameter accepts: the accepted body, in words, for the error.
    /// - Throws: ``Problem`` 415, 413, 408, 503 or 400.
    func read<Value: Decodable>(
        _ request: Request,
        _ context: ServiceContext,
        app: AppID,
        accepts: String
    ) async throws -> Value {
        guard case .json? = BodyFormat(contentType: request.headers[.contentType] ?? "") else {
            throw Problem.notJSON
        }
        try BodyReader.checkAnnouncedLength(request, limit: Self.limit)
        var holding = Holding(admission, app: app)
        let body = try await BodyReader.read(
            request,
            limit: Self.limit,
            holding: &holding,
            cutOff: context.cutBodyOff
        )
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(body.readableBytesView)) else {
            throw Problem(.badRequest, "invalid_json", "the body is \(accepts)")
        }
        return value
    }
}
