import CZlib

extension InputBuffer {
    /// Takes a body that is compressed with gzip (RFC 1952), members one after the other included.
    ///
    /// Stops as soon as there is more than `limit`, so that a small body cannot become a large one.
    func inflate(_ body: UnsafeRawBufferPointer, limit: Int) throws(BodyError) {
        count = 0
        var stream = z_stream()
        // 15 bits of window, and 16 for the header of gzip.
        guard notilog_inflate_init(&stream, 15 + 16) == Z_OK else {
            throw .badJSON("the body could not be decompressed")
        }
        defer { inflateEnd(&stream) }
        guard let source = body.bindMemory(to: UInt8.self).baseAddress, !body.isEmpty, body.count <= Int(UInt32.max)
        else {
            throw .badJSON("the body is empty, or no gzip")
        }
        stream.next_in = UnsafeMutablePointer(mutating: source)
        stream.avail_in = UInt32(body.count)
        while true {
            reserve(min(count + max(16 << 10, body.count * 4), limit + 1))
            let room = min(capacity, limit + 1) - count
            stream.next_out = base + count
            stream.avail_out = UInt32(room)
            let result = CZlib.inflate(&stream, Z_NO_FLUSH)
            count += room - Int(stream.avail_out)
            if count > limit {
                throw .tooLarge(limit: limit)
            }
            switch result {
            case Z_STREAM_END where stream.avail_in == 0:
                return
            case Z_STREAM_END:
                guard inflateReset(&stream) == Z_OK else { throw .badJSON("the body could not be decompressed") }
            case Z_OK where stream.avail_in > 0 || stream.avail_out == 0:
                continue
            default:
                throw .badJSON("the body is no gzip, or cut short")
            }
        }
    }
}
