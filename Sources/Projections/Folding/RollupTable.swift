internal import Folds
internal import Postgres

/// The table of a rollup: sums by key, of which the first counts rows.
typealias RollupTable<Key> = FoldTable<(key: Key, sums: ArraySlice<Int64>)>

extension Array {
    /// The columns of a rollup's sums, in their order.
    static func sums<Key>(_ names: String...) -> Self where Element == FoldColumn<(key: Key, sums: ArraySlice<Int64>)> {
        sums(names)
    }

    /// The columns of a rollup's sums, in their order.
    static func sums<Key>(_ names: [String]) -> Self where Element == FoldColumn<(key: Key, sums: ArraySlice<Int64>)> {
        names.enumerated().map { index, name in .sum(name) { $0.sums[$0.sums.startIndex + index] } }
    }
}

extension FoldTable {
    /// Adds the sums of a batch, and deletes rows whose count becomes 0.
    func add<Key>(
        _ rows: [(key: Key, sums: ArraySlice<Int64>)],
        _ symbols: Symbols,
        on connection: isolated Connection
    ) async throws where Row == (key: Key, sums: ArraySlice<Int64>) {
        try await add(rows, first: { $0.sums.first ?? 0 }, symbols, on: connection)
    }
}
