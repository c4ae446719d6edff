/// Finds a name among a few known ones by its bytes, without making a `String`.
///
/// Names of up to 16 bytes are compared by two words, their first and their last eight bytes; longer ones by their
/// middle too.
struct KeyTable: Sendable {
    private struct Entry {
        var first: UInt64
        var last: UInt64
        var name: [UInt8]
        var index: Int
    }

    private let slots: [Int16]
    private let entries: [Entry]
    private let mask: Int

    /// Names with their indices; the first of two equal names counts.
    init(_ names: [(name: String, index: Int)]) {
        var size = 8
        while size < names.count * 4 {
            size *= 2
        }
        mask = size - 1
        entries = names.map { name, index in
            let bytes = Array(name.utf8)
            let (first, last) = (bytes + [UInt8](repeating: 0, count: 8)).withUnsafeBytes {
                Self.words(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]))
            }
            return Entry(first: first, last: last, name: bytes, index: index)
        }
        var slots = [Int16](repeating: -1, count: size)
        for (position, entry) in entries.enumerated() {
            var slot = Self.hash(entry.first, entry.last) & mask
            while slots[slot] >= 0 {
                slot = (slot + 1) & mask
            }
            slots[slot] = Int16(position)
        }
        self.slots = slots
    }

    /// The index of a name, or -1. Eight bytes behind the name must be readable, as in simdjson's strings.
    @inline(__always)
    func index(of name: UnsafeRawBufferPointer) -> Int {
        let (first, last) = Self.words(name)
        var slot = Self.hash(first, last) & mask
        return slots.withUnsafeBufferPointer { slots in
            entries.withUnsafeBufferPointer { entries in
                while slots[slot] >= 0 {
                    let position = Int(slots[slot])
                    if entries[position].first == first, entries[position].last == last,
                        entries[position].name.count == name.count,
                        name.count <= 16 || entries[position].name.elementsEqual(name)
                    {
                        return entries[position].index
                    }
                    slot = (slot + 1) & mask
                }
                return -1
            }
        }
    }

    @inline(__always)
    private static func words(_ name: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        guard let start = name.baseAddress, !name.isEmpty else { return (0, 0) }
        let first = start.loadUnaligned(as: UInt64.self)
        if name.count < 8 {
            let short = first & ((1 << UInt64(name.count * 8)) - 1)
            return (short, short)
        }
        return (first, (start + name.count - 8).loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    private static func hash(_ first: UInt64, _ last: UInt64) -> Int {
        let mixed = (first ^ (last &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 40)
    }
}
