import NotificationEvents

extension OutputBuffer {
    /// Writes UTF-8 as a JSON string; each text has one way to be written.
    @inline(__always)
    func append(string text: UnsafeRawBufferPointer) {
        let start = room(for: JSONString.room(for: text.count))
        advance(by: JSONString.write(text, to: start) - start)
    }

    /// Writes text as a JSON string.
    func append(string text: String) {
        var text = text
        text.withUTF8 { append(string: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a moment as a JSON string in UTC with microseconds.
    func append(timestamp: Timestamp) {
        let out = room(for: Timestamp.formattedCount + 2)
        out.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        timestamp.write(to: UnsafeMutableRawBufferPointer(start: out + 1, count: Timestamp.formattedCount))
        (out + 1 + Timestamp.formattedCount).storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        advance(by: Timestamp.formattedCount + 2)
    }

    /// Writes a whole number.
    func append(integer: Int64) {
        if integer >= 0, integer < 10 {
            append(UInt8(ascii: "0") + UInt8(integer))
        } else {
            append(plain: String(integer))
        }
    }

    /// Writes a finite number; a whole one as a whole number, so that 1, 1.0 and 1e0 are written alike.
    func append(number: Double) {
        if let whole = Int64(exactly: number), whole.magnitude <= 1 << 53 {
            append(integer: whole)
        } else {
            append(plain: number.description)
        }
    }

    /// Writes bytes as hexadecimal digits in lower case.
    func append(hex bytes: UnsafeRawBufferPointer) {
        let start = room(for: bytes.count * 2)
        advance(by: Hexadecimal.write(bytes, to: start) - start)
    }
}
