internal import Hummingbird
internal import NotificationEvents

/// The parameters of a request's URL, decoded (WHATWG URL, `application/x-www-form-urlencoded`).
struct Query: Sendable {
    /// Names and values in the order they came.
    let items: [(name: String, value: String)]

    /// The query of a request, which is refused if it cannot be decoded: taken as it stands it would be another question.
    ///
    /// - Throws: ``Problem`` 400 if it is not percent-encoded UTF-8.
    init(_ request: Request) throws(Problem) {
        try self.init(request.uri.query ?? "")
    }

    init(_ text: String) throws(Problem) {
        var items: [(name: String, value: String)] = []
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(parts[0])
            let value = try Self.decode(parts.dropFirst().first ?? "")
            items.append((name: name, value: value))
        }
        self.items = items
    }

    /// The last value of a parameter.
    func last(_ name: String) -> String? {
        items.last { $0.name == name }?.value
    }

    /// A parameter that is an RFC 3339 time, by its last value.
    ///
    /// - Throws: ``Problem`` 400 if it is none.
    func time(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = last(name) else { return nil }
        return try Self.time(name, text)
    }

    /// Reads a time that a client wrote.
    ///
    /// - Throws: ``Problem`` 400 if it is none.
    static func time(_ name: String, _ text: String) throws(Problem) -> Timestamp {
        guard let zoned = Timestamp.parse(text) else {
            throw .badParameter("\(name) must be an RFC 3339 time, such as 2026-11-01T09:00:00Z")
        }
        return zoned.timestamp
    }

    /// Refuses unknown parameters, because a misspelt one would silently have its default.
    ///
    /// - Throws: ``Problem`` 400 with the accepted ones.
    func expect(only names: [String]) throws(Problem) {
        guard items.allSatisfy({ names.contains($0.name) }) else {
            throw .badParameter("a parameter is unknown: accepted are \(names.joined(separator: ", "))")
        }
    }

    private static func decode(_ text: Substring) throws(Problem) -> String {
        guard let decoded = percentDecoded(text, plusIsSpace: true) else {
            throw .badParameter("the query is not percent-encoded UTF-8")
        }
        return decoded
    }
}

extension ServiceContext {
    /// A parameter of the path, decoded.
    ///
    /// - Throws: ``Problem`` 400 if it is not percent-encoded UTF-8.
    func pathParameter(_ name: String) throws(Problem) -> String {
        guard let text = parameters.get(name), let decoded = percentDecoded(text), !decoded.utf8.contains(0) else {
            throw .badParameter("the path is not percent-encoded UTF-8")
        }
        return decoded
    }
}
