#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Workspace {
    /// Where the first line feed is.
    static func firstLineFeed(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
