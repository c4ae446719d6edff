extension EventID: CustomStringConvertible, LosslessStringConvertible {
    /// Parses a UUID in its text form, in either case; `nil` for any other text.
    public init?(_ description: String) {
        var description = description
        guard let id = description.withUTF8({ EventID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = id
    }

    /// Parses a UUID of 36 bytes of text, in either case; `nil` for any other text.
    public init?(utf8: UnsafeRawBufferPointer) {
        guard utf8.count == 36 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        var nibbles = 0
        for (index, byte) in utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let value: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if nibbles < 16 {
                high = high << 4 | UInt64(value)
            } else {
                low = low << 4 | UInt64(value)
            }
            nibbles += 1
        }
        self.init(high: high, low: low)
    }

    /// The UUID's text form, in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.formattedCount) { text in
            write(to: UnsafeMutableRawBufferPointer(text))
            return Self.formattedCount
        }
    }

    /// How many bytes ``write(to:)`` writes.
    public static let formattedCount = 36

    /// Writes the UUID's text form in lower case, ``formattedCount`` bytes of ASCII.
    public func write(to text: UnsafeMutableRawBufferPointer) {
        var position = 0
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                text[position] = UInt8(ascii: "-")
                position += 1
            }
            let half = nibble < 16 ? high : low
            text[position] = Hexadecimal.digit(UInt8(truncatingIfNeeded: half >> UInt64(60 - nibble % 16 * 4)))
            position += 1
        }
    }
}
