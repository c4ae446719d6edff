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
            Self.value(keyword, options)?.split(separator: ",") ?? []
        }
        // An abstract socket's name begins with @.
        return values("port").allSatisfy { UInt16($0) != nil }
            && values("host").allSatisfy { !$0.dropFirst().contains("@") }
            && values("dbname").allSatisfy { !$0.contains("@") }
    }

    /// The server and the database, as `host:port/database`, without a login or a password; nil if libpq cannot read the connection
    /// string.
    public var place: String? {
        guard isReadable, let defaults = PQconndefaults() else { return nil }
        defer { PQconninfoFree(defaults) }
        let options = connectionString.flatMap {
            $0.contains("=") || $0.contains("://") ? PQconninfoParse($0, nil) : nil
        }
        defer { PQconninfoFree(options) }
        func value(_ keyword: String) -> String? {
            options.flatMap { Self.value(keyword, $0) } ?? Self.value(keyword, defaults)
        }
        let host = value("host") ?? value("hostaddr") ?? "localhost"
        let name = options == nil ? connectionString : nil
        return "\(host):\(value("port") ?? "5432")/\(database ?? name ?? value("dbname") ?? value("user") ?? "")"
    }

    private static func value(_ keyword: String, _ options: UnsafeMutablePointer<PQconninfoOption>) -> String? {
        var option = options
        while let name = option.pointee.keyword {
            if String(cString: name) == keyword {
                return option.pointee.val.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            }
            option += 1
        }
        return nil
    }
}
