#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ExportError {
    /// What a system call on a path said, and what to do about it.
    static func system(_ what: String, _ path: String, _ number: Int32 = errno) -> ExportError {
        let advice =
            switch number {
            case ENOSPC, EDQUOT: "free some space there, then run the same again: it takes up where this run was"
            case EACCES, EPERM, EROFS: "let this user write there, or name another folder with --output"
            case ENOTDIR: "name a folder with --output"
            case ENOENT: "make the folder above it, or name another with --output"
            default: "mend that, then run the same again"
            }
        return ExportError(.folder, "\(path) cannot be \(what) (\(String(cString: strerror(number)))): \(advice)")
    }
}
