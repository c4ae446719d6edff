internal import CLibPQ

extension ConnectionConfiguration {
    /// Whether libpq reads the connection string as it was meant: what it cannot read, and what it takes for a host or a port
    /// where a password is not encoded, it quotes in its errors.
    var isReadable: Bool {
        guard let text = connectionString else { return true }
        // The name of a database alone. What looks like a URL cut short may hold a password, which a server would log.
        guard text.contains("=") || text.contains("://") else { return !text.contains { ":@/".contains($0) } }
        guard let options = PQconninfoParse(text, nil) else { return false }
        defer { PQconninfoFree(options) }
        func values(_ keyword: String) -> [Substring] {
            var option = options
            while let name = option.pointee.keyword {
                if String(cString: name) == keyword, let value = option.pointee.val {
                    return String(cString: value).split(separator: ",")
                }
                option += 1
            }
            return []
        }
        // An abstract socket's name begins with @.
        return values("port").allSatisfy { UInt16($0) != nil }
            && values("host").allSatisfy { !$0.dropFirst().contains("@") }
            && values("dbname").allSatisfy { !$0.contains("@") }
    }
}
