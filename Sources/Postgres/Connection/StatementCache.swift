/// The statements prepared on one connection, by their text and the types of their parameters.
struct StatementCache {
    struct Key: Hashable {
        var sql: String
        var types: [DataType]
    }

    struct Statement {
        var name: String
        /// Whether every column has a binary decoding; else results come as text.
        var isBinary: Bool
        var lastUse: UInt64
    }

    /// The most kept; the one used longest ago goes first.
    let capacity: Int
    private var statements: [Key: Statement] = [:]
    private var uses: UInt64 = 0

    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    var count: Int { statements.count }

    mutating func find(_ key: Key) -> Statement? {
        uses += 1
        guard let index = statements.index(forKey: key) else { return nil }
        statements.values[index].lastUse = uses
        return statements.values[index]
    }

    /// A name that no statement of this connection had before.
    mutating func makeName() -> String {
        uses += 1
        return "s\(uses)"
    }

    /// Keeps a statement, and gives the name of the one to deallocate for it.
    mutating func insert(_ key: Key, name: String, isBinary: Bool) -> String? {
        var evicted: String?
        if statements.count >= capacity, let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            statements[oldest.key] = nil
            evicted = oldest.value.name
        }
        uses += 1
        statements[key] = Statement(name: name, isBinary: isBinary, lastUse: uses)
        return evicted
    }

    /// Forgets a statement, and gives its name.
    mutating func remove(_ key: Key) -> String? {
        statements.removeValue(forKey: key)?.name
    }
}
