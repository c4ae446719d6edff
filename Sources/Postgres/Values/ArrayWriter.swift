/// Writes a one-dimensional array in PostgreSQL's binary format, element by element and straight into the buffer that
/// libpq sends, so that a batch of events becomes parameters with one copy.
///
/// The maker names the element type; the caller appends values of that type, as many as announced.
public struct ArrayWriter: ~Copyable {
    private let type: DataType
    private let buffer: WireBuffer
    private let expected: Int
    private var written = 0
    private var hasNull = false

    /// - Parameters:
    ///   - type: the elements' type.
    ///   - count: how many elements will be appended; another number is a programming error and traps.
    ///   - elementBytes: how long an element is about, to reserve room.
    public init(_ type: Parameter.ElementType, count: Int, elementBytes: Int = 8) {
        self.init(type.dataType, count: count, elementBytes: elementBytes)
    }

    init(_ type: DataType, count: Int, elementBytes: Int) {
        self.type = type
        expected = count
        buffer = WireBuffer(capacity: 20 + count * (4 + elementBytes))
        buffer.append(count == 0 ? 0 as Int32 : 1)  // dimensions
        buffer.append(0 as Int32)  // has NULLs; set at the end
        buffer.append(type.rawValue)
        if count > 0 {
            buffer.append(Int32(count))
            buffer.append(1 as Int32)  // lower bound
        }
    }

    /// The array as a statement's parameter.
    public consuming func finish() -> Parameter {
        precondition(written == expected, "an array parameter has \(written) elements, announced were \(expected)")
        if hasNull { buffer.overwrite(1, at: 4) }
        return Parameter(type.array ?? .inferred, buffer)
    }

    /// Appends NULL.
    @inline(__always)
    public mutating func appendNull() {
        buffer.append(-1 as Int32)
        hasNull = true
        written += 1
    }

    @inline(__always)
    private mutating func append<I: FixedWidthInteger>(fixed value: I) {
        buffer.append(Int32(MemoryLayout<I>.size))
        buffer.append(value)
        written += 1
    }

    /// Appends to a `smallint[]`.
    public mutating func append(_ value: Int16?) {
        if let value { append(fixed: value) } else { appendNull() }
    }

    /// Appends to an `integer[]`.
    public mutating func append(_ value: Int32?) {
        if let value { append(fixed: value) } else { appendNull() }
    }

    /// Appends to a `bigint[]`; to a `timestamptz[]` as microseconds since 1970.
    public mutating func append(_ value: Int64?) {
        guard let value else { return appendNull() }
        append(fixed: type == .timestamptz ? value &- postgresEpochMicroseconds : value)
    }

    /// Appends to a `timestamptz[]`, in PostgreSQL's own count: microseconds since 2000, with the least and the greatest number
    /// for -infinity and infinity.
    public mutating func append(postgresMicroseconds value: Int64) {
        append(fixed: value)
    }

    /// Appends to an `interval[]`, as PostgreSQL has the difference of two times: whole days, and the rest.
    public mutating func append(intervalMicroseconds value: Int64) {
        let (days, rest) = value.quotientAndRemainder(dividingBy: 86_400_000_000)
        buffer.append(16 as Int32)
        buffer.append(rest)
        buffer.append(Int32(truncatingIfNeeded: days))
        buffer.append(0 as Int32)  // months
        written += 1
    }

    /// Appends to a `boolean[]`.
    public mutating func append(_ value: Bool?) {
        if let value { append(fixed: value ? 1 as UInt8 : 0) } else { appendNull() }
    }

    /// Appends to a `uuid[]`, from its halves as big-endian numbers.
    @inline(__always)
    public mutating func append(uuidHigh high: UInt64, low: UInt64) {
        buffer.append(16 as Int32)
        buffer.append(high)
        buffer.append(low)
        written += 1
    }

    /// Appends to a `text[]` or `jsonb[]`.
    public mutating func append(_ value: String?) {
        guard var value else { return appendNull() }
        value.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    }

    /// Appends to a `bytea[]`; to a `jsonb[]` as UTF-8; to a `uuid[]` as its 16 bytes.
    public mutating func append(_ value: [UInt8]?) {
        guard let value else { return appendNull() }
        value.withUnsafeBytes { append(raw: $0) }
    }

    /// Appends the bytes of one element as they are, but for what the format puts before them.
    public mutating func append(raw bytes: UnsafeRawBufferPointer) {
        let prefix = type == .jsonb ? 1 : 0
        buffer.append(Int32(bytes.count + prefix))
        if prefix == 1 { buffer.append(jsonbVersion) }
        buffer.append(raw: bytes)
        written += 1
    }
}
