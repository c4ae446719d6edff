import NotificationEvents

/// What may be shown or kept of text in a field that does not take it: somebody put the words of an alert, or a device token, into
/// the wrong one.
extension UnsafeRawBufferPointer {
    /// Whether it may be the name of a value, and is no text.
    var looksLikeName: Bool {
        (1...32).contains(count) && allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
    }

    /// Whether it is a time, or nearly one.
    var looksLikeTime: Bool {
        count <= 40 && allSatisfy { $0.isASCIIDigit || "TtZz+-:. ".utf8.contains($0) }
    }

    /// How many hexadecimal digits its first word has that looks like a device token; `nil` if there is none. APNs' tokens have 64.
    /// No name, time or UUID has 40.
    var tokenDigits: Int? {
        var digits = 0
        for byte in self {
            if byte.isHexadecimalDigit {
                digits += 1
            } else if digits >= 40 {
                break
            } else {
                digits = 0
            }
        }
        return digits >= 40 ? digits : nil
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
