/// Bytes as hexadecimal digits in lower case, two a byte.
package enum Hexadecimal {
    @usableFromInline static let digits: StaticString = "0123456789abcdef"

    /// The digit of a number below 16, as ASCII.
    @inlinable @inline(__always)
    package static func digit(_ value: UInt8) -> UInt8 {
        digits.utf8Start[Int(value & 0xF)]
    }

    /// Writes the digits of bytes, twice as many as there are bytes.
    ///
    /// - Returns: the address after the last digit.
    @inlinable
    @discardableResult
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to text: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var text = text
        for byte in bytes {
            text.storeBytes(of: digit(byte >> 4), as: UInt8.self)
            (text + 1).storeBytes(of: digit(byte), as: UInt8.self)
            text += 2
        }
        return text
    }
}

extension String {
    /// Bytes as hexadecimal digits in lower case.
    package init(hexadecimal bytes: some Collection<UInt8>) {
        self.init(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[index * 2] = Hexadecimal.digit(byte >> 4)
                text[index * 2 + 1] = Hexadecimal.digit(byte)
            }
            return bytes.count * 2
        }
    }
}
