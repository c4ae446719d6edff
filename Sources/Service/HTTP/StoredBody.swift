internal import Gzip
internal import HTTPTypes
internal import Hashing
internal import Hummingbird
internal import NIOCore
internal import NotificationEvents

/// A constant body, kept in memory as it is sent: plain and compressed, with its validator (RFC 9110, section 8.8.3).
struct StoredBody: Sendable {
    let contentType: String
    let body: ByteBuffer
    /// The same, compressed; nil if that saves nothing.
    let compressed: ByteBuffer?
    /// The entity tag of ``body``, a hash of its contents: every instance of the service gives the same.
    let tag: String

    init(_ bytes: [UInt8], contentType: String) {
        self.contentType = contentType
        body = ByteBuffer(bytes: bytes)
        tag = String(hexadecimal: SHA256.digest(of: bytes).prefix(12))
        let gzip = Gzip(level: 9)
        let packed = gzip.compress(bytes) + gzip.finish()
        compressed = packed.count < bytes.count ? ByteBuffer(bytes: packed) : nil
    }

    /// The answer: 304 if the client has it already, compressed if the client accepts that.
    ///
    /// - Parameter cacheControl: how long it may be cached (RFC 9111, section 5.2.2); default: validated each time.
    func response(to request: Request, cacheControl: String = "no-cache") -> Response {
        let takesGzip = compressed != nil && request.headers.acceptsGzip
        // Two encodings are two representations, and each needs a tag of its own.
        let tag = "\"\(tag)\(takesGzip ? "-gzip" : "")\""
        var headers: HTTPFields = [.eTag: tag, .vary: "Accept-Encoding", .cacheControl: cacheControl]
        if Self.names(tag, in: request.headers[.ifNoneMatch] ?? "") {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = contentType
        if takesGzip { headers[.contentEncoding] = "gzip" }
        let sent = (takesGzip ? compressed : nil) ?? body
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: sent))
    }

    /// Whether `If-None-Match` names the tag, weakly compared.
    static func names(_ tag: String, in header: String) -> Bool {
        header.split(separator: ",").contains { item in
            let text = item.filter { $0 != " " && $0 != "\t" }
            return text == "*" || (text.hasPrefix("W/") ? String(text.dropFirst(2)) : text) == tag
        }
    }
}
