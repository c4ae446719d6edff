internal import NIOCore
internal import NotificationEvents

/// Writes JSON (RFC 8259) straight into a buffer, members in the order of the calls.
struct JSONWriter {
    private(set) var buffer: ByteBuffer
    private var needsComma = false

    init(capacity: Int = 256) {
        buffer = ByteBuffer()
        buffer.reserveCapacity(capacity)
    }

    /// Writes an object.
    mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        try nest("{", "}", body)
    }

    /// Writes an array.
    mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        try nest("[", "]", body)
    }

    /// Writes a member's name; its value comes next.
    mutating func name(_ name: StaticString) {
        separate()
        buffer.writeInteger(UInt8(ascii: "\""))
        buffer.writeStaticString(name)
        buffer.writeStaticString("\":")
        needsComma = false
    }

    /// Writes a member's name that is not known beforehand.
    mutating func name(text: String) {
        string(text)
        buffer.writeInteger(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func field(_ name: StaticString, _ value: String?) {
        self.name(name)
        string(value)
    }

    mutating func field(_ name: StaticString, _ value: some BinaryInteger) {
        self.name(name)
        integer(value)
    }

    mutating func field(_ name: StaticString, _ value: Bool) {
        self.name(name)
        raw(value ? "true" : "false")
    }

    mutating func field(_ name: StaticString, _ value: Timestamp?) {
        self.name(name)
        guard let value else { return null() }
        separate()
        buffer.writeInteger(UInt8(ascii: "\""))
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Timestamp.formattedCount) { bytes in
            value.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<Timestamp.formattedCount]))
            return Timestamp.formattedCount
        }
        buffer.writeInteger(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a member whose value is JSON already.
    mutating func field(_ name: StaticString, json: String?) {
        self.name(name)
        raw(json ?? "null")
    }

    mutating func null() {
        raw("null")
    }

    mutating func integer(_ value: some BinaryInteger) {
        raw(String(value))
    }

    /// Writes JSON that is written already.
    mutating func raw(_ json: String) {
        separate()
        buffer.writeString(json)
        needsComma = true
    }

    /// Writes a string, escaped; `null` for none.
    mutating func string(_ value: String?) {
        guard var value else { return null() }
        separate()
        buffer.writeInteger(UInt8(ascii: "\""))
        value.withUTF8 { utf8 in
            var start = 0
            for (index, byte) in utf8.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                buffer.writeBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[start..<index]))
                escape(byte)
                start = index + 1
            }
            buffer.writeBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[start...]))
        }
        buffer.writeInteger(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): buffer.writeStaticString("\\\"")
        case UInt8(ascii: "\\"): buffer.writeStaticString("\\\\")
        case UInt8(ascii: "\n"): buffer.writeStaticString("\\n")
        default:
            let digits = String(byte, radix: 16)
            buffer.writeString(digits.count == 1 ? "\\u000\(digits)" : "\\u00\(digits)")
        }
    }

    private mutating func separate() {
        if needsComma { buffer.writeInteger(UInt8(ascii: ",")) }
    }

    private mutating func nest(
        _ open: StaticString,
        _ close: StaticString,
        _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        separate()
        buffer.writeStaticString(open)
        needsComma = false
        try body(&self)
        buffer.writeStaticString(close)
        needsComma = true
    }
}
