internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore
internal import NIOHTTP1

/// Why a request was not answered as asked: problem details (RFC 9457) with a stable code.
///
/// The detail says what to do next, and holds no key, token, id or text of the request.
struct Problem: Error, Sendable {
    /// The HTTP status.
    var status: HTTPResponse.Status
    /// A stable name, for programs.
    var code: String
    /// What is wrong and what would be accepted, in one sentence.
    var detail: String
    /// The parameter at fault.
    var parameter: String?
    /// Names or values that would be accepted.
    var accepted: [String] = []
    /// How far the data that was asked for is behind, in seconds.
    var lagSeconds: Double?
    /// Headers beside the body's own.
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    /// The same, with ``RetryAfter``. Make one for each answer: each draws another time.
    func retry(after seconds: Double) -> Problem {
        var copy = self
        copy.headers[.retryAfter] = String(RetryAfter(seconds).seconds)
        return copy
    }
}

extension Problem {
    /// The answer.
    var response: Response {
        var json = JSONWriter()
        json.object {
            $0.field("type", "about:blank")
            $0.field("title", HTTPResponseStatus(statusCode: status.code).reasonPhrase)
            $0.field("status", status.code)
            $0.field("code", code)
            $0.field("detail", detail)
            if let parameter { $0.field("parameter", parameter) }
            if !accepted.isEmpty {
                $0.name("accepted")
                $0.array { json in
                    for value in accepted { json.string(value) }
                }
            }
            if let lagSeconds { $0.field("lag_seconds", lagSeconds) }
        }
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}
