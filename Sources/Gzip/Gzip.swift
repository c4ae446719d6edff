internal import CZlib

/// Compresses a stream. Equal input gives equal output: the header has no time.
public final class Gzip {
    /// What is around the compressed bytes.
    public enum Format: Int32, Sendable {
        /// gzip (RFC 1952). Its raw value is that of zlib: 15 bits of window, plus 16.
        case gzip = 31
        /// zlib (RFC 1950), as in PNG.
        case zlib = 15
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutableBufferPointer<UInt8>

    /// - Parameters:
    ///   - level: 1, the fastest, to 9, the smallest. Level 4 compresses rows of JSON to about an eighth, at twice the speed
    ///     of the default level 6.
    ///   - format: what is around the compressed bytes.
    public init(level: Int32 = 4, format: Format = .gzip) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        room = .allocate(capacity: 1 << 16)
        // It fails only without memory.
        let result = notilog_deflate_init(stream, level, format.rawValue)
        precondition(result == Z_OK, "zlib failed to initialise")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        room.deallocate()
    }

    /// Compresses more input; returns the output that is ready, which may be empty.
    public func compress(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        bytes.withUnsafeBufferPointer { input in
            guard let start = input.baseAddress else { return }
            stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
            stream.pointee.avail_in = UInt32(input.count)
            while stream.pointee.avail_in > 0 { step(Z_NO_FLUSH, &output) }
        }
        return output
    }

    /// Ends the stream; returns the rest of the output. Must be the last call.
    public func finish() -> [UInt8] {
        var output: [UInt8] = []
        stream.pointee.avail_in = 0
        while step(Z_FINISH, &output) == Z_OK {}
        return output
    }

    @discardableResult
    private func step(_ flush: Int32, _ output: inout [UInt8]) -> Int32 {
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = UInt32(room.count)
        let result = deflate(stream, flush)
        output.append(contentsOf: UnsafeBufferPointer(rebasing: room[..<(room.count - Int(stream.pointee.avail_out))]))
        return result
    }
}
