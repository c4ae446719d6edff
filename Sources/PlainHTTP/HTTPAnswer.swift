/// The answer of a service.
public struct HTTPAnswer: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields, names in lower case; of fields with the same name, the last.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]
}
