import Gzip

extension InputBuffer {
    /// Takes a body that is compressed with gzip (RFC 1952), members one after the other included.
    ///
    /// Stops as soon as there is more than `limit`, so that a small body cannot become a large one.
    func inflate(_ body: UnsafeRawBufferPointer, limit: Int) throws(BodyError) {
        count = 0
        do throws(Gunzip.Failure) {
            var gunzip = try Gunzip(body)
            while !gunzip.isAtEnd, count <= limit {
                reserve(min(count + max(16 << 10, body.count * 4), limit + 1))
                let room = min(capacity, limit + 1) - count
                count += try gunzip.read(into: UnsafeMutableRawBufferPointer(start: base + count, count: room))
            }
        } catch {
            throw .invalidJSON("the body is not gzip, or is truncated")
        }
        if count > limit { throw .tooLarge(limit: limit) }
    }
}
