internal import CZlib

/// Decompresses gzip (RFC 1952) step by step, members one after the other included.
public struct Gunzip: ~Copyable {
    /// The bytes are no gzip, or are cut short or changed.
    public struct Failure: Error, Sendable, Equatable {}

    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether all bytes are decompressed.
    public private(set) var isAtEnd = false

    /// - Parameter source: all of the compressed bytes; they must stay where they are until the end.
    /// - Throws: ``Failure`` where there are none, or 4 GiB or more.
    public init(_ source: UnsafeRawBufferPointer) throws(Failure) {
        guard let start = source.bindMemory(to: UInt8.self).baseAddress, let count = UInt32(exactly: source.count)
        else {
            throw Failure()
        }
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window, and 16 for the header of gzip. It fails only for want of memory.
        let result = notilog_inflate_init(stream, 15 + 16)
        precondition(result == Z_OK, "zlib could not be set up")
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
        stream.pointee.avail_in = count
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses more, until `room` is full or all is decompressed.
    ///
    /// - Returns: how many bytes were written.
    /// - Throws: ``Failure``.
    public mutating func read(into room: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        let room = room.bindMemory(to: UInt8.self)
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = UInt32(clamping: room.count)
        let whole = stream.pointee.avail_out
        while !isAtEnd, stream.pointee.avail_out > 0 {
            switch inflate(stream, Z_NO_FLUSH) {
            case Z_STREAM_END where stream.pointee.avail_in == 0: isAtEnd = true
            case Z_STREAM_END where inflateReset(stream) == Z_OK: continue
            case Z_OK where stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0: continue
            default: throw Failure()
            }
        }
        return Int(whole - stream.pointee.avail_out)
    }
}
