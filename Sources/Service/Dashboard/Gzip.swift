internal import CZlib

/// Compression (RFC 1952) of what is small enough to be held in memory.
enum Gzip {
    /// The bytes, compressed as well as zlib can; nil where it fails.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 bits of window, and 16 for gzip's header instead of zlib's.
        let begun = deflateInit2_(
            &stream,
            Z_BEST_COMPRESSION,
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let room = Int(deflateBound(&stream, UInt(input.count)))
        return input.withUnsafeMutableBufferPointer { source -> [UInt8]? in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            var isWhole = false
            let output = [UInt8](unsafeUninitializedCapacity: room) { target, count in
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(room)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = room - Int(stream.avail_out)
            }
            return isWhole ? output : nil
        }
    }
}
