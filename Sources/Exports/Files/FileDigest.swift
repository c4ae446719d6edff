internal import Hashing
internal import NotificationEvents

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The SHA-256 of files.
enum FileDigest {
    /// Reads a file and returns its digest in lowercase hexadecimal, as `sha256sum` writes it; `nil` if it cannot be read.
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
                if count == 0 { return String(hexadecimal: digest.bytes) }
                digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
            }
        }
    }
}
