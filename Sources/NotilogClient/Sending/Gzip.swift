import Foundation

#if canImport(Compression)
    import Compression
#elseif canImport(CZlib)
    import CZlib
#endif

/// A body in gzip (RFC 1952): a header, the bytes deflated (RFC 1951), their CRC-32 and length.
enum Gzip {
    /// - Returns: `nil` where that would be no smaller, or the platform has no deflate; the body is then sent as it is.
    static func compress(_ body: Data) -> Data? {
        guard body.count > 256, body.count < Int(UInt32.max), let deflated = deflate(body) else { return nil }
        // No name, no time, no operating system.
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        bytes.append(contentsOf: deflated)
        bytes.append(CRC32.checksum(body))
        bytes.append(UInt32(body.count))
        return bytes.count < body.count ? Data(bytes) : nil
    }

    private static func deflate(_ body: Data) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: body.count)
        let room = output.count
        #if canImport(Compression)
            // Apple: COMPRESSION_ZLIB is the raw deflate format of RFC 1951, at level 5.
            let count = output.withUnsafeMutableBufferPointer { output in
                body.withUnsafeBytes { input in
                    guard let target = output.baseAddress, let source = input.bindMemory(to: UInt8.self).baseAddress
                    else { return 0 }
                    return compression_encode_buffer(target, room, source, input.count, nil, COMPRESSION_ZLIB)
                }
            }
            guard count > 0 else { return nil }
        #elseif canImport(CZlib)
            var stream = z_stream()
            guard notilog_deflate_init(&stream, Z_DEFAULT_COMPRESSION, -15) == Z_OK else { return nil }
            defer { deflateEnd(&stream) }
            let isWhole = output.withUnsafeMutableBufferPointer { output in
                body.withUnsafeBytes { input in
                    stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                    stream.avail_in = UInt32(input.count)
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(room)
                    return CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
                }
            }
            guard isWhole else { return nil }
            let count = room - Int(stream.avail_out)
        #else
            let count = 0
            guard count > 0 else { return nil }
        #endif
        output.removeLast(room - count)
        return output
    }
}
