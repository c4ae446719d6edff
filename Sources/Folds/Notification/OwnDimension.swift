/// A key of `attributes` that an app named as a dimension, and which events are counted by it.
package struct OwnDimension: Sendable {
    package var key: Symbol
    /// The positions of those events: after one, up to another.
    package var after: Int64
    package var upTo: Int64

    package init(key: Symbol, after: Int64, upTo: Int64) {
        self.key = key
        self.after = after
        self.upTo = upTo
    }

    /// In bytes.
    private static let longestValue = 128

    /// What an event says by the dimensions that it is counted by: strings, numbers and booleans as their JSON text.
    ///
    /// - Parameters:
    ///   - attributes: as JSON text.
    ///   - position: of the event.
    static func values(
        _ attributes: UnsafeRawBufferPointer,
        _ dimensions: [OwnDimension],
        at position: Int64,
        _ symbols: inout Symbols
    ) -> [(key: Symbol, value: Symbol)] {
        guard attributes.first == UInt8(ascii: "{") else { return [] }
        var result: [(key: Symbol, value: Symbol)] = []
        var object = JSONObject(attributes)
        while let (key, value) = object.next() {
            guard let first = value.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else { continue }
            for dimension in dimensions
            where dimension.after < position && position <= dimension.upTo
                && symbols.names.withBytes(of: dimension.key, { $0.map { $0.elementsEqual(key) } ?? false })
            {
                let symbol = value.text(in: &symbols.names)
                let length = symbols.names.withBytes(of: symbol) { $0?.count ?? 0 }
                if 1...longestValue ~= length { result.append((dimension.key, symbol)) }
                break
            }
        }
        return result
    }
}

/// The values of an app's own dimensions that a notification has, each with the event that it comes from.
package struct OwnValues: Equatable, Sendable {
    /// In the order of the keys' numbers.
    private var claims: [Named] = []

    private struct Named: Equatable {
        var key: Symbol
        var claim: Claim
    }

    package init() {}

    package var isEmpty: Bool { claims.isEmpty }

    package subscript(key: Symbol) -> Claim {
        claims.first { $0.key == key }?.claim ?? Claim()
    }

    /// Takes in what an event says, or another value of the same key: the claim with the lower rank holds.
    package mutating func merge(_ key: Symbol, _ claim: Claim) {
        let index = claims.firstIndex { $0.key.number >= key.number } ?? claims.count
        if index < claims.count, claims[index].key == key {
            claims[index].claim.merge(claim)
        } else {
            claims.insert(Named(key: key, claim: claim), at: index)
        }
    }

    mutating func merge(_ other: OwnValues) {
        for named in other.claims { merge(named.key, named.claim) }
    }

    /// The keys in the order in which jsonb has them: by length, then by bytes.
    package func keys(_ names: borrowing SymbolTable) -> [Symbol] {
        claims.map(\.key).sorted { left, right in
            let (a, b) = (names.withBytes(of: left) { $0?.count ?? 0 }, names.withBytes(of: right) { $0?.count ?? 0 })
            return a != b ? a < b : names.isBefore(left, right)
        }
    }
}

extension OwnValues {
    /// Reads values as the column `attributes` has them, without the events that they come from.
    package init(_ json: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        var object = JSONObject(json)
        while let (key, value) = object.next() {
            let symbol = symbols.names.symbol(of: key)
            merge(symbol, Claim(rank: .none, value: value.text(in: &symbols.names)))
        }
    }
}
