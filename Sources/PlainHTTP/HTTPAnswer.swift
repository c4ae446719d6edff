/// What a service answered.
public struct HTTPAnswer: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields, names in lower case; the last of those with the same name.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// The body as text.
    public var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
