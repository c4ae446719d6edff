import Reports

/// Which keys have rows of their own in a report that bounds them: those with the most of what it counts first, ties by the
/// key with null (here "") last.
struct KeptKeys {
    private let kept: Set<[String]>
    /// How many keys there are.
    let total: Int

    /// - Parameters:
    ///   - counts: what each thing counted adds to the leading count of its key, over the whole range.
    ///   - limit: how many have rows of their own.
    init(_ counts: [(key: [String], count: Int)], limit: Int) {
        var sums: [[String]: Int] = [:]
        for (key, count) in counts { sums[key, default: 0] += count }
        let ranked = sums.sorted { $0.value != $1.value ? $0.value > $1.value : Self.precedes($0.key, $1.key) }
        kept = Set(ranked.prefix(limit).map(\.key))
        total = sums.count
    }

    /// The key that a row is told by; nil where it is in the row of all others.
    func own(_ key: [String]) -> [String]? { kept.contains(key) ? key : nil }

    /// The columns that tell a row.
    func columns(_ names: [String], _ own: [String]?) -> ReportModel.Record {
        guard !names.isEmpty else { return [:] }
        var columns: ReportModel.Record = ["other": .bool(own == nil)]
        for (place, name) in names.enumerated() { columns[name] = own.map { .name($0[place]) } ?? .null }
        return columns
    }

    private static func precedes(_ left: [String], _ right: [String]) -> Bool {
        for (a, b) in zip(left, right) where a != b {
            if a.isEmpty || b.isEmpty { return b.isEmpty }
            return Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8))
        }
        return false
    }
}
