internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1

/// Reads bodies into one buffer, and no more than is allowed.
enum BodyReader {
    /// Refuses a request that announces a body which is not taken, before any of it is read: one of more than the limit, or
    /// in a transfer coding that would be read as if it were none.
    ///
    /// - Throws: ``Problem`` 413, or 415.
    static func checkAnnounced(_ request: Request, limit: Int) throws(Problem) {
        if let length = request.headers.value(.contentLength) {
            // NIO passes on digits alone, and up to 64 bits of them: what is no Int is larger than any limit.
            guard let length = Int(length), length <= limit else { throw .tooLarge(limit: limit) }
        } else if let codings = request.headers.value(.transferEncoding), codings.lowercased() != "chunked" {
            throw .unsupportedCoding
        }
    }

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - holding: what the request holds of the memory for bodies; grows as the body comes.
    ///   - cutOff: ends the body if others need its memory more.
    /// - Throws: ``Problem`` 413 as soon as it exceeds the limit, 503 if there is no room for it, 408 if it takes too long, 400
    ///   if the connection breaks; `CancellationError`; `HTTPParserError` if it is not HTTP.
    nonisolated(nonsending) static func read(
        _ request: Request,
        limit: Int,
        holding: inout Holding,
        cutOff: @escaping @Sendable () -> Void
    ) async throws -> ByteBuffer {
        do {
            return try await collect(request, limit: limit, holding: &holding, cutOff)
        } catch let error as SlowRequest {
            switch error.reason {
            case .timeout: throw Problem.bodyTimeout
            case .stopping: throw Problem.stopping
            case .crowdedOut: throw holding.crowdedOut
            }
        } catch let error where error is Problem || error is CancellationError || error is HTTPParserError {
            throw error
        } catch {
            throw Problem(.badRequest, "incomplete_body", "the connection closed before the whole body arrived")
        }
    }

    private nonisolated(nonsending) static func collect(
        _ request: Request,
        limit: Int,
        holding: inout Holding,
        _ cutOff: @escaping @Sendable () -> Void
    ) async throws -> ByteBuffer {
        let announced = request.headers.value(.contentLength).flatMap(Int.init)
        var whole: ByteBuffer?
        for try await part in request.body {
            let length = part.readableBytes + (whole?.readableBytes ?? 0)
            guard length <= limit else { throw Problem.tooLarge(limit: limit) }
            try holding.hold(length)
            if whole == nil {
                // Most bodies arrive in one piece, which is used without a copy.
                whole = part
            } else {
                whole?.writeImmutableBuffer(part)
            }
            if length != announced { holding.awaitMore(cutOff: cutOff) }
        }
        try holding.complete()
        return whole ?? ByteBuffer()
    }
}
