import Foundation

#if canImport(Compression)
    import Compression
#elseif canImport(CZlib)
    import CZlib
#endif

/// A body in gzip (RFC 1952): a header, the bytes deflated (RFC 1951), their CRC-32 and length.
enum Gzip {
    /// - Returns: `nil` if the result would not be smaller, or the platform has no deflate; the body is then sent uncompressed.
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
        #if canImport(Compression)
            // Apple: COMPRESSION_ZLIB is the raw deflate format of RFC 1951, at level 5.
            var output = [UInt8](repeating: 0, count: body.count)
            let count = output.withUnsafeMutableBufferPointer { output in
                body.withUnsafeBytes { input in
                    guard let target = output.baseAddress, let source = input.bindMemory(to: UInt8.self).baseAddress
                    else { return 0 }
                    return compression_encode_buffer(target, output.count, source, input.count, nil, COMPRESSION_ZLIB)
                }
            }
            return count > 0 ? Array(output.prefix(count)) : nil
        #elseif canImport(CZlib)
            var output = [UInt8](repeating: 0, count: body.count)
            var count = uLong(output.count)
            let result = body.withUnsafeBytes { input in
                let source = input.bindMemory(to: UInt8.self).baseAddress
                return compress2(&output, &count, source, uLong(input.count), Z_DEFAULT_COMPRESSION)
            }
            // The format of zlib (RFC 1950): two bytes of header, the deflated bytes, four bytes of Adler-32.
            return result == Z_OK ? Array(output[2..<Int(count) - 4]) : nil
        #else
            return nil
        #endif
    }
}
