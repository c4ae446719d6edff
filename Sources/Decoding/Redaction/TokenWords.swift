/// Words that look like device tokens, in text where none belongs: somebody put one into the wrong field.
enum TokenWords {
    /// APNs' tokens have 64 hexadecimal digits. No name, time or UUID has as many as this.
    private static let leastDigits = 40

    /// The text with each such word replaced; `nil` where there is none.
    static func replacing(
        _ text: UnsafeRawBufferPointer,
        by replacement: (UnsafeRawBufferPointer) -> String
    ) -> String? {
        guard text.count >= leastDigits else { return nil }
        var result: [UInt8] = []
        var (start, copied) = (0, 0)
        for end in 0...text.count where end == text.count || !text[end].isHexadecimalDigit {
            if end - start >= leastDigits {
                result.append(contentsOf: text[copied..<start])
                result.append(contentsOf: replacement(UnsafeRawBufferPointer(rebasing: text[start..<end])).utf8)
                copied = end
            }
            start = end + 1
        }
        guard copied > 0 else { return nil }
        result.append(contentsOf: text[copied...])
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
