internal import Hashing

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The SHA-256 of files.
enum FileDigest {
    /// A digest in lower-case hexadecimal, as `sha256sum` writes it.
    static func text(_ digest: [UInt8]) -> String {
        var text = ""
        for byte in digest {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }

    /// Reads a file and gives its digest; `nil` where it cannot be read.
    static func ofFile(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var digest = SHA256()
        return withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { room -> String? in
            while true {
                let count = read(descriptor, room.baseAddress, room.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return nil }
                if count == 0 { return text(digest.bytes) }
                digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
            }
        }
    }
}
