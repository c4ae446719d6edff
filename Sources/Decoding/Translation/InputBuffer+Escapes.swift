extension InputBuffer {
    /// Writes `\ufffd` over every escape for NUL or half a surrogate pair in a text (RFC 8259, section 8.2).
    ///
    /// - Returns: whether there was one.
    func replaceLoneEscapes() -> Bool {
        var position = 0
        var found = false
        while position < count {
            guard base[position] == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            guard let unit = escapedUnit(position) else {
                position += 2
                continue
            }
            if (0xD800..<0xDC00).contains(unit), let low = escapedUnit(position + 6), (0xDC00..<0xE000).contains(low) {
                position += 12
                continue
            }
            if unit == 0 || (0xD800..<0xE000).contains(unit) {
                for (offset, byte) in "fffd".utf8.enumerated() { base[position + 2 + offset] = byte }
                found = true
            }
            position += 6
        }
        return found
    }

    /// The code unit of `\uXXXX` at an offset; `nil` if there is none.
    private func escapedUnit(_ position: Int) -> UInt16? {
        guard position + 6 <= count, base[position] == UInt8(ascii: "\\"), base[position + 1] == UInt8(ascii: "u")
        else {
            return nil
        }
        let digits = UnsafeBufferPointer(start: base + position + 2, count: 4)
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
