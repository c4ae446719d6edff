/// The checksum of gzip (RFC 1952, section 8), which the queue's frames carry too.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            ~bytes.reduce(~UInt32(0)) { value, byte in
                table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
            }
        }
    }
}
