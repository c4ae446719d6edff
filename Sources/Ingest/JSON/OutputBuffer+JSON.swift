import NotificationEvents

extension OutputBuffer {
    /// Writes UTF-8 as a JSON string; each text has one way to be written.
    @inline(__always)
    func append(string text: UnsafeRawBufferPointer) {
        // Six bytes a byte is the most that an escape takes; eight more, because bytes are copied eight at a time.
        let start = room(for: text.count * 6 + 10)
        var out = start
        out.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        out += 1
        if let source = text.baseAddress {
            let count = text.count
            var index = 0
            while index + 8 <= count {
                let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if Self.needsEscape(word) {
                    for offset in 0..<8 {
                        out = Self.escape(source.load(fromByteOffset: index + offset, as: UInt8.self), out)
                    }
                } else {
                    out.storeBytes(of: word, as: UInt64.self)
                    out += 8
                }
                index += 8
            }
            while index < count {
                out = Self.escape(source.load(fromByteOffset: index, as: UInt8.self), out)
                index += 1
            }
        }
        out.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        advance(by: out - start + 1)
    }

    /// Writes text as a JSON string.
    func append(string text: String) {
        var text = text
        text.withUTF8 { append(string: UnsafeRawBufferPointer($0)) }
    }

    /// Whether any of eight bytes is a control character, a quotation mark or a backslash.
    @inline(__always)
    private static func needsEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let below = (word &- ones &* 0x20) & ~word
        return (below | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs != 0
    }

    @inline(__always)
    private static func escape(_ byte: UInt8, _ out: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            out.storeBytes(of: byte, as: UInt8.self)
            return out + 1
        }
        out.storeBytes(of: UInt8(ascii: "\\"), as: UInt8.self)
        let short: UInt8
        switch byte {
        case 0x08: short = UInt8(ascii: "b")
        case 0x09: short = UInt8(ascii: "t")
        case 0x0A: short = UInt8(ascii: "n")
        case 0x0C: short = UInt8(ascii: "f")
        case 0x0D: short = UInt8(ascii: "r")
        case 0x22, 0x5C: short = byte
        default:
            let digits: StaticString = "0123456789abcdef"
            (out + 1).storeBytes(of: UInt8(ascii: "u"), as: UInt8.self)
            (out + 2).storeBytes(of: UInt8(ascii: "0"), as: UInt8.self)
            (out + 3).storeBytes(of: UInt8(ascii: "0"), as: UInt8.self)
            (out + 4).storeBytes(of: digits.utf8Start[Int(byte >> 4)], as: UInt8.self)
            (out + 5).storeBytes(of: digits.utf8Start[Int(byte & 0xF)], as: UInt8.self)
            return out + 6
        }
        (out + 1).storeBytes(of: short, as: UInt8.self)
        return out + 2
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
        let digits: StaticString = "0123456789abcdef"
        let out = room(for: bytes.count * 2)
        for (index, byte) in bytes.enumerated() {
            (out + index * 2).storeBytes(of: digits.utf8Start[Int(byte >> 4)], as: UInt8.self)
            (out + index * 2 + 1).storeBytes(of: digits.utf8Start[Int(byte & 0xF)], as: UInt8.self)
        }
        advance(by: bytes.count * 2)
    }
}
