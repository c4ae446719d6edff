/// What a batch adds to the rows of a rollup: sums by key.
package struct Sums<Key: Hashable & Sendable>: Sendable {
    private let width: Int
    private var offsets: [Key: Int] = [:]
    private var values: [Int64] = []

    /// - Parameter width: the number of sums of a key.
    package init(width: Int = 1) {
        self.width = width
    }

    /// Adds to the sums of a key.
    ///
    /// - Throws: ``FoldError/overflow``.
    package mutating func add(_ key: Key, _ amounts: borrowing [Int64], times sign: Int64) throws(FoldError) {
        let offset = offset(of: key)
        for index in 0..<width where amounts[index] != 0 {
            values[offset + index] = try values[offset + index].adding(sign * amounts[index])
        }
    }

    /// Adds to the only sum of a key.
    ///
    /// - Throws: ``FoldError/overflow``.
    package mutating func add(_ key: Key, _ amount: Int64) throws(FoldError) {
        let offset = offset(of: key)
        values[offset] = try values[offset].adding(amount)
    }

    private mutating func offset(of key: Key) -> Int {
        if let known = offsets[key] { return known }
        let offset = values.count
        offsets[key] = offset
        values.append(contentsOf: repeatElement(0, count: width))
        return offset
    }

    /// The sums of a key; nil where nothing was added.
    package subscript(key: Key) -> ArraySlice<Int64>? {
        offsets[key].map { values[$0..<$0 + width] }
    }

    /// The number of keys.
    package var count: Int { offsets.count }

    /// The keys of which a sum is not zero, with their sums.
    package var rows: [(key: Key, sums: ArraySlice<Int64>)] {
        offsets.lazy.map { (key: $0.key, sums: values[$0.value..<$0.value + width]) }
            .filter { $0.sums.contains { $0 != 0 } }
    }
}
