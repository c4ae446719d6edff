/// Where rows differ from what they should be, in words.
struct LawComparison {
    /// Differences of one table between two sides; nil where there are none.
    ///
    /// - Parameter columns: those to compare; nil means all.
    static func difference(
        in table: LawTable,
        _ found: [LawRow],
        _ expected: [LawRow],
        columns: [String]? = nil,
        names: (String, String)
    ) -> String? {
        let found = counted(found, columns)
        let expected = counted(expected, columns)
        guard found != expected else { return nil }
        let extra = found.filter { expected[$0.key] != $0.value }.map(\.key)
        let missing = expected.filter { found[$0.key] != $0.value }.map(\.key)
        var lines: [String] = []
        var unmatched = missing
        for row in extra {
            if let index = unmatched.firstIndex(where: { other in table.key.allSatisfy { row[$0] == other[$0] } }) {
                lines.append(change(table, row, unmatched.remove(at: index), names))
            } else {
                lines.append("only \(names.0): \(text(row))")
            }
        }
        lines += unmatched.map { "only \(names.1): \(text($0))" }
        return "\(table.rawValue) differs:\n" + lines.sorted().prefix(6).map { "    " + $0 }.joined(separator: "\n")
    }

    private static func counted(_ rows: [LawRow], _ columns: [String]?) -> [LawRow: Int] {
        let kept = columns.map(Set.init)
        return rows.reduce(into: [:]) { counts, row in
            counts[kept.map { kept in row.filter { kept.contains($0.key) } } ?? row, default: 0] += 1
        }
    }

    private static func change(
        _ table: LawTable,
        _ found: LawRow,
        _ expected: LawRow,
        _ names: (String, String)
    ) -> String {
        let columns = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
        let key = found.filter { table.key.contains($0.key) }
        let changes = columns.map { name in
            "\(name): \(names.0) \(found[name] ?? "null"), \(names.1) \(expected[name] ?? "null")"
        }
        return "\(text(key)) \(changes.joined(separator: "; "))"
    }

    private static func text(_ row: LawRow) -> String {
        row.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
