internal import CZlib

/// The checksum CRC-32, as gzip and PNG have it.
public enum CRC32 {
    /// The checksum of all of the bytes.
    public static func checksum(of bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count))
    }
}
