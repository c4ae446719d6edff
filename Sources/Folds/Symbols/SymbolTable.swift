/// Byte strings, each stored once: ids, names of dimensions, contexts and settings as JSON.
package struct SymbolTable: Sendable {
    private var bytes: [UInt8] = []
    private var starts: [Int] = [0]
    private var hashes: [UInt64] = []
    /// Numbers + 1; 0 where a slot is free.
    private var slots: [UInt32]
    private var mask: Int
    private let seed = UInt64.random(in: .min ... .max)

    package init() {
        slots = Array(repeating: 0, count: 1024)
        mask = 1023
        _ = symbol(of: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    package var count: Int { hashes.count }
    /// What it takes of memory, about.
    package var memory: Int { bytes.capacity + starts.capacity * 8 + hashes.capacity * 8 + slots.capacity * 4 }

    /// The symbol of a string, a new one where it was not known.
    package mutating func symbol(of string: UnsafeRawBufferPointer) -> Symbol {
        let hash = hash(string)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let id = Int(slots[slot] - 1)
            if hashes[id] == hash, isEqual(id, string) { return Symbol(number: UInt32(id)) }
            slot = (slot + 1) & mask
        }
        let id = hashes.count
        hashes.append(hash)
        bytes.append(contentsOf: string)
        starts.append(bytes.count)
        slots[slot] = UInt32(id + 1)
        if hashes.count * 2 > slots.count { grow() }
        return Symbol(number: UInt32(id))
    }

    package mutating func symbol(of string: String) -> Symbol {
        var copy = string
        return copy.withUTF8 { symbol(of: UnsafeRawBufferPointer($0)) }
    }

    /// Gives a string's bytes; of no string, none.
    package func withBytes<Result>(of symbol: Symbol, _ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows
        -> Result
    {
        if symbol == .none { return try body(nil) }
        let start = starts[Int(symbol.number)]
        let end = starts[Int(symbol.number) + 1]
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    package func string(_ symbol: Symbol) -> String {
        withBytes(of: symbol) { String(decoding: $0 ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self) }
    }

    /// The order of the bytes.
    package func isBefore(_ left: Symbol, _ right: Symbol) -> Bool {
        withBytes(of: left) { left in
            withBytes(of: right) { right in
                guard let left, let right else { return left != nil }
                return left.lexicographicallyPrecedes(right)
            }
        }
    }

    private func isEqual(_ id: Int, _ string: UnsafeRawBufferPointer) -> Bool {
        let start = starts[id]
        guard starts[id + 1] - start == string.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= string.count {
                if bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
                    != string.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                {
                    return false
                }
                offset += 8
            }
            while offset < string.count {
                if bytes[start + offset] != string[offset] { return false }
                offset += 1
            }
            return true
        }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        mask = slots.count - 1
        for (id, hash) in hashes.enumerated() {
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(id + 1)
        }
    }

    /// By a seed that no client knows: else one could make up strings that all have one hash, and each would be compared with
    /// all before it.
    func hash(_ string: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(string.count)
        var offset = 0
        while offset + 8 <= string.count {
            hash = Self.mixed(hash ^ string.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < string.count {
            rest = rest << 8 | UInt64(string[offset])
            offset += 1
        }
        return Self.mixed(hash ^ rest)
    }

    @inline(__always)
    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low
    }
}
