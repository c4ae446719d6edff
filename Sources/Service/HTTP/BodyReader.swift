internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1

/// Reads bodies into one buffer, and no more than is allowed.
enum BodyReader {
    /// The length that a request announces, checked against the limit.
    ///
    /// - Returns: `nil` where it says nothing (chunked).
    /// - Throws: ``Problem`` 413.
    static func announcedLength(_ request: Request, limit: Int) throws(Problem) -> Int? {
        guard let text = request.headers[.contentLength], let length = Int(text) else { return nil }
        guard length <= limit else { throw .tooLarge(limit: limit) }
        return length
    }

    /// Reads a body.
    ///
    /// - Throws: ``Problem`` 413 as soon as there is more than the limit, 400 where the connection breaks;
    ///   `CancellationError`; `HTTPParserError` for what is no HTTP.
    static func read(_ request: Request, limit: Int) async throws -> ByteBuffer {
        do {
            return try await collect(request, limit: limit)
        } catch let error where error is Problem || error is CancellationError || error is HTTPParserError {
            throw error
        } catch {
            throw Problem(.badRequest, "incomplete_body", "the connection broke before the whole body was there")
        }
    }

    private static func collect(_ request: Request, limit: Int) async throws -> ByteBuffer {
        var whole: ByteBuffer?
        for try await part in request.body {
            guard part.readableBytes + (whole?.readableBytes ?? 0) <= limit else {
                throw Problem.tooLarge(limit: limit)
            }
            if whole == nil {
                // Most bodies come in one piece, which is taken as it is.
                whole = part
            } else {
                whole?.writeImmutableBuffer(part)
            }
        }
        return whole ?? ByteBuffer()
    }
}
