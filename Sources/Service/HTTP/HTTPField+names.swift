internal import HTTPTypes

extension HTTPField.Name {
    /// The sender's clock as it sends (docs/openapi.yaml).
    static let notilogSentAt = name("Notilog-Sent-At")
    /// The cursor for the next request.
    static let nextCursor = name("Notilog-Next-Cursor")
    /// The number of keys that a report found. Its rows may be only some of them.
    static let rowsTotal = name("Notilog-Rows-Total")
    /// The id of a refused request in the service's log.
    static let requestID = name("Request-Id")
    /// RFC 8288.
    static let link = name("Link")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is not a name of a header") }
        return name
    }
}
