import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import Decoding
@testable import Ingestion
@testable import Service

/// The status that answers a body which is refused as a whole.
struct BodyProblemTests {
    @Test(arguments: [
        (BodyError.invalidJSON("no"), HTTPResponse.Status.badRequest, "invalid_json"),
        (.tooLarge(limit: 1), .contentTooLarge, "too_large"),
        (.tooManyEvents(limit: 1), .contentTooLarge, "too_many_events"),
        (.unsupportedEncoding, .unsupportedMediaType, "unsupported_encoding"),
        (.noMemory, .serviceUnavailable, "overloaded"),
    ])
    func eachHasItsStatus(_ error: BodyError, _ status: HTTPResponse.Status, _ code: String) {
        let problem = Problem(.body(error))
        #expect(problem.status == status && problem.code == code)
        #expect(problem.detail == error.message)
        #expect((problem.headers[.retryAfter] != nil) == (status == .serviceUnavailable), "when to try again")
    }

    /// Before any of it comes.
    @Test(arguments: ["101", "9223372036854775807", "9223372036854775808", "18446744073709551615"])
    func announcedLength(_ length: String) {
        let problem = announced([.contentLength: length])
        #expect(problem?.status == .contentTooLarge && problem?.code == "too_large")
    }

    @Test(arguments: ["gzip, chunked", "chunked, chunked", "identity, chunked"])
    func transferCodings(_ codings: String) {
        let problem = announced([.transferEncoding: codings])
        #expect(problem?.status == .unsupportedMediaType && problem?.code == "unsupported_encoding")
    }

    @Test func whatMayBeReadIsRead() {
        let accepted: [HTTPFields] = [
            [:], [.contentLength: "0"], [.contentLength: "100"], [.transferEncoding: "chunked"],
            [.transferEncoding: "Chunked"],
        ]
        for headers in accepted { #expect(announced(headers)?.code == nil, "\(headers)") }
    }

    /// The problem of a request with these headers, of which up to 100 bytes are taken.
    private func announced(_ headers: HTTPFields) -> Problem? {
        let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/v1/events", headerFields: headers)
        do throws(Problem) {
            try BodyReader.checkAnnounced(Request(head: head, body: .init(buffer: ByteBuffer())), limit: 100)
            return nil
        } catch {
            return error
        }
    }
}
