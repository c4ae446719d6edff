import HTTPTypes
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
}
