extension UnsafeRawBufferPointer {
    /// Whether it has the form of a language tag, with hyphens or underscores between its subtags (RFC 5646, section 2.1).
    package var isLanguageTag: Bool {
        var length = 0
        for byte in self {
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") {
                guard length > 0 else { return false }
                length = 0
            } else {
                length += 1
                guard length <= 8, byte.isASCIIAlphanumeric else { return false }
            }
        }
        return length > 0
    }

    /// Whether it has the form of an IANA time zone's name: parts of up to 14 characters (tz database, theory.html). So no device token
    /// passes for one.
    package var isTimeZoneName: Bool {
        split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            (1...14).contains(part.count) && part.allSatisfy { $0.isASCIIAlphanumeric || "_-+".utf8.contains($0) }
        }
    }
}

extension UInt8 {
    /// Whether it is a digit or a letter of ASCII.
    @inlinable package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
