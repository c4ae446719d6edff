internal import Folds
internal import Postgres

/// The values of a row in the order of its statement, as folds read them.
struct FoldFields {
    let row: Row
    private var column = 0

    init(_ row: Row) {
        self.row = row
    }

    private mutating func next() -> Int {
        defer { column += 1 }
        return column
    }

    /// A value's bytes where they are; nil for NULL.
    mutating func withBytes<Value>(_ body: (UnsafeRawBufferPointer?) throws -> Value) rethrows -> Value {
        try row.withBytes(next(), body)
    }

    /// A number; nil for NULL.
    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        row.withBytes(next()) { bytes in
            guard let bytes, bytes.count == MemoryLayout<Value>.size else { return nil }
            return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
        }
    }

    mutating func int4() -> Int32 { integer() ?? 0 }

    mutating func bool() -> Bool { integer(UInt8.self) == 1 }

    /// A time; none for NULL.
    mutating func moment() -> Moment { integer() ?? .none }

    mutating func uuid() -> UUIDValue {
        row.withBytes(next()) { bytes in
            guard let bytes, bytes.count == 16 else { return UUIDValue(high: 0, low: 0) }
            return UUIDValue(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The symbol of a text; none for NULL.
    mutating func symbol(in table: inout SymbolTable) -> Symbol {
        row.withBytes(next()) { bytes in bytes.map { table.symbol(of: $0) } ?? .none }
    }

    /// The bytes of a `jsonb` as text; nil for NULL.
    mutating func withJSON<Value>(_ body: (UnsafeRawBufferPointer?) throws -> Value) rethrows -> Value {
        try row.withBytes(next()) { try body($0.map { UnsafeRawBufferPointer(rebasing: $0.dropFirst()) }) }
    }
}
