internal import CLibPQ

extension PostgresError {
    /// What a failed result says.
    init(result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            guard let ascii = code.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
            return String(cString: text)
        }
        let sqlState = field("C")
        let message = field("M") ?? String(cString: PQresultErrorMessage(result)).firstLine
        let shown =
            switch sqlState?.prefix(2) {
            case "22": Self.withoutValue(message)
            case "23": Self.withoutQuoted(message, keep: field("n"))
            default: message
            }
        self.init(sqlState == nil ? .connection : .server, shown.isEmpty ? Self.lost : shown)
        let quotesData = ["22", "23"].contains(sqlState?.prefix(2))
        self.sqlState = sqlState
        severity = field("V")
        detail = quotesData ? nil : field("D")
        hint = field("H")
        constraint = field("n")
    }

    /// What a broken connection says; libpq's text names host, port, user and database, never the password.
    init(connection: OpaquePointer) {
        let text = String(cString: PQerrorMessage(connection)).trimmedLines
        self.init(.connection, text.isEmpty ? Self.lost : text)
    }

    /// libpq says nothing of some connections that end under a statement.
    private static let lost = "the connection to PostgreSQL was lost"

    /// The message without what stands between its first and its last double quote: a value, which may hold quotes itself.
    static func withoutValue(_ message: String) -> String {
        guard let first = message.firstIndex(of: "\""), let last = message.lastIndex(of: "\""), first < last else {
            return message
        }
        return message[...first] + "…" + message[last...]
    }

    /// The message without text in double quotes, except names that the server reports as such.
    static func withoutQuoted(_ message: String, keep: String?) -> String {
        let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return message }
        return parts.enumerated().map { index, part in
            guard index % 2 == 1 else { return String(part) }
            return part == keep ?? "" ? "\"\(part)\"" : "\"…\""
        }.joined()
    }
}

extension String {
    var firstLine: String {
        split(separator: "\n").first.map(String.init) ?? self
    }

    var trimmedLines: String {
        split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }
}
