internal import Gzip

extension Raster {
    /// The picture as a file in PNG (ISO/IEC 15948), true colour of 8 bits. Equal pictures give equal files.
    public var png: [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(bytes.count + height)
        for row in 0..<height {
            // No filter: most of a row is one colour, which compresses as it is.
            rows.append(0)
            rows += bytes[(3 * row * width)..<(3 * (row + 1) * width)]
        }
        let header = Self.number(width) + Self.number(height) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + Self.chunk("IHDR", header)
            + Self.chunk("IDAT", Self.compressed(rows)) + Self.chunk("IEND", [])
    }

    /// Length, type, data, and the checksum of type and data.
    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + data
        return number(data.count) + checked + number(Int(CRC32.checksum(of: checked)))
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        let zlib = Gzip(level: 9, format: .zlib)
        return zlib.compress(bytes) + zlib.finish()
    }

    /// Four bytes, the highest first.
    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
