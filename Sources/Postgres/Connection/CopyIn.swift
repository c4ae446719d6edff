/// Rows for a binary `COPY … FROM STDIN`, collected in a buffer that goes to the server whenever it is large enough.
///
/// Layout: PostgreSQL documentation, COPY, "Binary Format".
public struct CopyRows: ~Copyable {
    let buffer: WireBuffer
    private let columns: Int16
    private var left: Int16 = 0

    init(columns: Int) {
        buffer = WireBuffer(capacity: 1 << 16)
        self.columns = Int16(columns)
        for byte in "PGCOPY\n".utf8 { buffer.append(byte) }
        for byte in [0xFF, 0x0D, 0x0A, 0x00] as [UInt8] { buffer.append(byte) }
        buffer.append(0 as Int32)  // flags
        buffer.append(0 as Int32)  // length of the header's extension
    }

    private init(continuing columns: Int16) {
        self.columns = columns
        buffer = WireBuffer(capacity: 1 << 16)
    }

    /// Starts a row; as many values as there are columns must follow.
    public mutating func startRow() {
        precondition(left == 0, "the row before lacks \(left) values")
        left = columns
        buffer.append(columns)
    }

    /// Appends one value, which must be of the column's very type: COPY converts nothing.
    public mutating func append(_ value: Parameter) {
        precondition(left > 0, "more values than columns")
        left -= 1
        guard let bytes = value.buffer?.bytes else { return buffer.append(-1 as Int32) }
        buffer.append(Int32(bytes.count))
        buffer.append(raw: bytes)
    }

    mutating func finish() {
        precondition(left == 0, "the last row lacks \(left) values")
        buffer.append(-1 as Int16)
    }

    /// Gives what was collected and goes on with an empty buffer.
    mutating func take() -> WireBuffer {
        let full = buffer
        let row = left
        self = CopyRows(continuing: columns)
        left = row
        return full
    }
}
