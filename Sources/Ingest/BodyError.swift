/// Why a whole body was rejected.
public struct BodyError: Error, Hashable, Sendable {
    private enum Reason: String {
        case badJSON = "bad_json"
        case tooLarge = "too_large"
        case tooManyEvents = "too_many_events"
        case unsupportedMediaType = "unsupported_media_type"
        case unsupportedEncoding = "unsupported_encoding"
        case noMemory = "overloaded"
    }

    private let reason: Reason
    /// What is wrong and what is accepted, in one sentence.
    public let message: String

    /// The stable code, as answers carry it.
    public var code: String {
        reason.rawValue
    }

    /// The HTTP status for it: 400, 413, 415 or 503.
    public var status: Int {
        switch reason {
        case .badJSON: 400
        case .tooLarge, .tooManyEvents: 413
        case .unsupportedMediaType, .unsupportedEncoding: 415
        case .noMemory: 503
        }
    }

    /// The body is no JSON, not UTF-8, cut short, or not what its encoding says.
    static func badJSON(_ message: String) -> BodyError {
        BodyError(reason: .badJSON, message: message)
    }

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

    /// The content type is not accepted.
    static let unsupportedMediaType = BodyError(
        reason: .unsupportedMediaType,
        message:
            "the Content-Type must be one of \(BodyFormat.allCases.map(\.rawValue).joined(separator: ", ")), in UTF-8"
    )

    /// The content encoding is not accepted.
    static let unsupportedEncoding = BodyError(
        reason: .unsupportedEncoding,
        message: "the Content-Encoding must be gzip or identity"
    )
}
