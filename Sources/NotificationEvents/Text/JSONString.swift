/// Text as a JSON string (RFC 8259, section 7). Each text has one way to be written: what JSON has a short escape for gets
/// that, other control characters `\u00` and two digits, and nothing else is escaped.
package enum JSONString {
    /// The most bytes that the string of a text of so many bytes takes, quotation marks included.
    @inlinable @inline(__always)
    package static func room(for count: Int) -> Int { count * 6 + 2 }

    /// Writes UTF-8 as a JSON string; there must be ``room(for:)`` it.
    ///
    /// - Returns: the address after the closing quotation mark.
    @inlinable @inline(__always)
    package static func write(
        _ text: UnsafeRawBufferPointer,
        to start: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var out = start
        out.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        out += 1
        if let source = text.baseAddress {
            let count = text.count
            var index = 0
            while index + 8 <= count {
                let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if needsEscape(word) {
                    for offset in 0..<8 {
                        out = escape(source.load(fromByteOffset: index + offset, as: UInt8.self), out)
                    }
                } else {
                    out.storeBytes(of: word, as: UInt64.self)
                    out += 8
                }
                index += 8
            }
            while index < count {
                out = escape(source.load(fromByteOffset: index, as: UInt8.self), out)
                index += 1
            }
        }
        out.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        return out + 1
    }

    /// Lends a text as a JSON string in UTF-8, quotation marks included.
    package static func with<Value>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value
    {
        var text = text
        return try text.withUTF8 { utf8 in
            try withUnsafeTemporaryAllocation(byteCount: room(for: utf8.count), alignment: 1) { room in
                guard let start = room.baseAddress else { preconditionFailure("no string takes no room") }
                let end = write(UnsafeRawBufferPointer(utf8), to: start)
                return try body(UnsafeRawBufferPointer(start: start, count: end - start))
            }
        }
    }

    /// Whether any of eight bytes is a control character, a quotation mark or a backslash.
    @inlinable @inline(__always)
    static func needsEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let below = (word &- ones &* 0x20) & ~word
        return (below | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs != 0
    }

    @inlinable @inline(__always)
    static func escape(_ byte: UInt8, _ out: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
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
            (out + 1).storeBytes(of: UInt8(ascii: "u"), as: UInt8.self)
            (out + 2).storeBytes(of: UInt8(ascii: "0"), as: UInt8.self)
            (out + 3).storeBytes(of: UInt8(ascii: "0"), as: UInt8.self)
            (out + 4).storeBytes(of: Hexadecimal.digit(byte >> 4), as: UInt8.self)
            (out + 5).storeBytes(of: Hexadecimal.digit(byte), as: UInt8.self)
            return out + 6
        }
        (out + 1).storeBytes(of: short, as: UInt8.self)
        return out + 2
    }
}

extension String {
    /// Appends a text as a JSON string.
    package mutating func append(json text: String) {
        JSONString.with(text) { self += String(decoding: $0, as: UTF8.self) }
    }
}
