import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The code of the program and its libraries, which is in memory as pages of their files.
enum ProgramCode {
    /// Gives back the pages in memory: what only the start needed was a quarter of what a service without work held.
    ///
    /// What is needed again comes back from the system's cache of files.
    static func release() {
        #if canImport(Glibc)
            guard let mappings = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
            for line in mappings.split(separator: "\n") {
                // Addresses, permissions, offset, device, inode and path (proc(5)). Pages that were ever written are in no such mapping.
                let fields = line.split(separator: " ", omittingEmptySubsequences: true)
                let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/"), bounds.count == 2 else {
                    continue
                }
                madvise(
                    UnsafeMutableRawPointer(bitPattern: bounds[0]),
                    Int(bounds[1] - bounds[0]),
                    Int32(MADV_DONTNEED)
                )
            }
        #endif
    }
}
