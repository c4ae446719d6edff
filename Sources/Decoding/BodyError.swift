/// Why a whole body was rejected.
public struct BodyError: Error, Hashable, Sendable {
    /// The kinds of errors, with their stable codes.
    public enum Reason: String, Sendable {
        /// The body is no JSON, not UTF-8, cut short, or not what its encoding says.
        case invalidJSON = "invalid_json"
        /// It has more bytes than the limit, once decompressed.
        case tooLarge = "too_large"
        /// It has more events than the limit.
        case tooManyEvents = "too_many_events"
        /// It is compressed in a way that is not accepted.
        case unsupportedEncoding = "unsupported_encoding"
        /// The memory to read it is missing for now.
        case noMemory = "overloaded"
    }

    /// The kind of error.
    public let reason: Reason
    /// What is wrong and what is accepted, in one sentence.
    public let message: String

    /// The stable code, as answers carry it.
    public var code: String {
        reason.rawValue
    }

    /// The body is no JSON, not UTF-8, cut short, or not what its encoding says.
    static func invalidJSON(_ message: String) -> BodyError {
        BodyError(reason: .invalidJSON, message: message)
    }

    /// The body is no JSON, and nothing more is known of why.
    static let notJSON = invalidJSON("the body is not JSON, not UTF-8, or truncated")

    /// The body is larger than the limit, once decompressed.
    static func tooLarge(limit: Int) -> BodyError {
        BodyError(
            reason: .tooLarge,
            message: "the body is larger than \(limit) bytes after decompression: send less at once"
        )
    }

    /// The memory to read it is missing for now; the same body may be sent again.
    static let noMemory = BodyError(
        reason: .noMemory,
        message: "there is not enough memory to read the body: send it again later"
    )

    /// There are more events in it than the limit.
    static func tooManyEvents(limit: Int) -> BodyError {
        BodyError(reason: .tooManyEvents, message: "the body holds more than \(limit) events: send fewer at once")
    }

    /// The content encoding is not accepted.
    static let unsupportedEncoding = BodyError(
        reason: .unsupportedEncoding,
        message: "the Content-Encoding must be gzip or identity"
    )
}
