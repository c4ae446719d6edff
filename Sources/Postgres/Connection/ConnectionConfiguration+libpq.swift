internal import CLibPQ

extension ConnectionConfiguration {
    /// Whether libpq reads the connection string as it was meant: what it cannot read, and what it takes for a host or a port
    /// where a password is not encoded, it quotes in its errors.
    var isReadable: Bool {
        guard let text = connectionString else { return true }
        // The name of a database alone. What looks like a URL cut short may hold a password, which a server would log.
        guard Self.hasOptions(text) else { return !text.contains { ":@/".contains($0) } }
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
        guard let server, let databaseName else { return nil }
        return "\(server)/\(databaseName)"
    }

    /// The server, as `host:port`; nil if libpq cannot read the connection string.
    public var server: String? {
        withOptions { value in "\(value("host") ?? value("hostaddr") ?? "localhost"):\(value("port") ?? "5432")" }
    }

    /// The database's name; nil if libpq cannot read the connection string.
    public var databaseName: String? {
        if let database { return database }
        if let connectionString, !Self.hasOptions(connectionString) { return connectionString }
        return withOptions { value in value("dbname") ?? value("user") ?? "" }
    }

    /// A connection string for another database of the server, with all that this one says besides; nil if libpq cannot read this one.
    ///
    /// - Parameter name: the other database's.
    public func connectionString(forDatabase name: String) -> String? {
        guard isReadable, let text = connectionString, Self.hasOptions(text), let options = PQconninfoParse(text, nil)
        else { return nil }
        defer { PQconninfoFree(options) }
        var all = Self.all(options).filter { $0.keyword != "dbname" }
        all.append(("dbname", name))
        return all.map { option in
            let value = option.value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "\(option.keyword)='\(value)'"
        }.joined(separator: " ")
    }

    /// The options that the connection string gives, and libpq's defaults.
    private func withOptions<Value>(_ read: ((String) -> String?) -> Value) -> Value? {
        guard isReadable, let defaults = PQconndefaults() else { return nil }
        defer { PQconninfoFree(defaults) }
        let options = connectionString.flatMap { Self.hasOptions($0) ? PQconninfoParse($0, nil) : nil }
        defer { PQconninfoFree(options) }
        return read { keyword in
            options.flatMap { Self.value(keyword, $0) } ?? Self.value(keyword, defaults)
        }
    }

    /// Whether a connection string is more than the name of a database.
    private static func hasOptions(_ text: String) -> Bool { text.contains("=") || text.contains("://") }

    private static func value(_ keyword: String, _ options: UnsafeMutablePointer<PQconninfoOption>) -> String? {
        all(options).first { $0.keyword == keyword }?.value
    }

    /// The options that are set.
    private static func all(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [(keyword: String, value: String)] {
        var all: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val.map({ String(cString: $0) }), !value.isEmpty {
                all.append((String(cString: keyword), value))
            }
            option += 1
        }
        return all
    }
}
