public import Decoding

/// Why a whole batch was not accepted.
public enum IngestionError: Error, Hashable, Sendable {
    /// The whole body is rejected.
    case body(BodyError)
    /// The app stores hashed ids only, and no secret for the hashes is set.
    case noHashSecret
    /// The service's clock is wrong; the reason.
    case clock(String)
    /// The service's clock jumped, and the database does not answer, so that it cannot be checked.
    case clockUnknown
}
