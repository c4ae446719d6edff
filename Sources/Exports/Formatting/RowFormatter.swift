internal import EventLog
internal import Postgres

/// Writes rows as NDJSON or CSV, from PostgreSQL's binary COPY format (PostgreSQL documentation, COPY, "Binary Format").
///
/// The server sends binary columns, which costs it less than any text; this type makes the text, on another core.
struct RowFormatter: ~Copyable {
    private let layout: RowLayout
    private var sink = ByteSink(capacity: 0)
    /// The number of rows written.
    private(set) var rows: Int64 = 0
    /// The number of tombstones among them.
    private(set) var tombstones: Int64 = 0
    /// The number of the last row: the first column of every dataset.
    private(set) var last: Int64 = 0
    /// Whether the limit is reached: further rows are left out.
    private(set) var isFull = false
    private let limit: Int

    /// - Parameters:
    ///   - layout: how rows are written.
    ///   - limit: how many bytes; the row that reaches them is the last.
    init(_ layout: RowLayout, limit: Int) {
        self.layout = layout
        self.limit = limit
        sink.reserve(min(limit, 4 << 20) + (1 << 16))
    }

    /// The number of bytes written.
    var bytes: Int { sink.count }

    /// Returns the bytes written.
    mutating func take() -> [UInt8] {
        let bytes = sink.bytes
        sink = ByteSink(capacity: 0)
        return bytes
    }

    /// Writes rows of a COPY message, until the limit is reached.
    ///
    /// - Parameters:
    ///   - messages: whole messages of a COPY.
    ///   - isFirst: whether it is the first one, which begins with the format's header.
    /// - Throws: `PostgresError` if the server sent anything else.
    mutating func write(_ messages: [UInt8], isFirst: Bool) throws(PostgresError) {
        var offset = isFirst ? 19 : 0
        while offset + 2 <= messages.count {
            let count = Int(messages[offset]) << 8 | Int(messages[offset + 1])
            offset += 2
            if count == 0xFFFF { return }
            guard count == layout.columns.count, offset + 12 <= messages.count else { throw Self.misread }
            if isFull { return }
            last = Self.integer(messages, offset + 4, 8)
            for column in 0..<count { try write(layout.columns[column], messages, &offset) }
            rows += 1
            sink.reserve(2)
            if layout.isJSON { sink.put(UInt8(ascii: "}")) }
            sink.put(UInt8(ascii: "\n"))
            isFull = sink.count >= limit
        }
    }

    private static var misread: PostgresError {
        PostgresError(unexpected: "the server sent rows that are not in the binary format")
    }

    @inline(__always)
    private mutating func write(_ column: RowLayout.Column, _ chunk: [UInt8], _ offset: inout Int) throws(PostgresError)
    {
        guard offset + 4 <= chunk.count else { throw Self.misread }
        let length = Int(Int32(truncatingIfNeeded: Self.integer(chunk, offset, 4)))
        offset += 4
        // Six bytes a byte if every byte is escaped; forty for short values.
        sink.reserve(column.lead.count + 40 + 6 * max(length, 0))
        sink.put(column.lead)
        guard length >= 0 else {
            if layout.isJSON { putWord("null") }
            return
        }
        guard offset + length <= chunk.count else { throw Self.misread }
        let start = offset
        offset += length
        chunk.withUnsafeBytes { bytes in
            put(UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]), column)
        }
    }

    @inline(__always)
    private mutating func put(_ value: UnsafeRawBufferPointer, _ column: RowLayout.Column) {
        switch column.kind {
        case .int2: sink.put(decimal: Int64(Int16(truncatingIfNeeded: Self.integer(value))))
        case .int4: sink.put(decimal: Int64(Int32(truncatingIfNeeded: Self.integer(value))))
        case .int8: sink.put(decimal: Self.integer(value))
        case .numberOfCell(let cell):
            sink.put(decimal: Position(rawValue: Self.integer(value)).given(by: cell).rawValue)
        case .boolean:
            if column.isTombstone, value[0] != 0 { tombstones += 1 }
            putWord(value[0] != 0 ? "true" : "false")
        case .moment:
            let moment = Self.integer(value)
            // Infinite times are null.
            guard moment != .max, moment != .min else {
                if layout.isJSON { putWord("null") }
                return
            }
            quote { $0.put(moment: moment) }
        case .uuid: quote { $0.put(uuid: value) }
        case .bytes: quote { $0.put(hexadecimal: value) }
        case .json:
            // The first byte is the version of jsonb's format.
            let text = UnsafeRawBufferPointer(rebasing: value.dropFirst())
            if layout.isJSON { sink.put(text) } else { sink.put(quoted: text) }
        case .text:
            if layout.isJSON {
                sink.put(json: value)
            } else if Self.needsQuotes(value) {
                sink.put(quoted: value)
            } else {
                sink.put(value)
            }
        }
    }

    @inline(__always)
    private mutating func quote(_ body: (inout ByteSink) -> Void) {
        if layout.isJSON { sink.put(UInt8(ascii: "\"")) }
        body(&sink)
        if layout.isJSON { sink.put(UInt8(ascii: "\"")) }
    }

    private mutating func putWord(_ word: StaticString) {
        sink.put(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private static func needsQuotes(_ text: UnsafeRawBufferPointer) -> Bool {
        text.isEmpty || text.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    }

    @inline(__always)
    private static func integer(_ chunk: [UInt8], _ offset: Int, _ length: Int) -> Int64 {
        chunk.withUnsafeBytes { integer(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + length])) }
    }

    /// A big-endian number of any length, without sign.
    @inline(__always)
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var value: UInt64 = 0
        for byte in bytes { value = value << 8 | UInt64(byte) }
        return Int64(bitPattern: value)
    }
}
