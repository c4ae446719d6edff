#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ExportError {
    /// The error of a failed system call on a path, with what to do about it.
    static func system(_ what: String, _ path: String, _ number: Int32 = errno) -> ExportError {
        let advice =
            switch number {
            case ENOSPC, EDQUOT: "free some space there, then run the command again: it resumes this run"
            case EACCES, EPERM, EROFS: "give this user write permission, or choose another folder with --output"
            case ENOTDIR: "choose a folder with --output"
            case ENOENT: "create its parent folder, or choose another one with --output"
            default: "fix the cause, then run the command again"
            }
        return ExportError(.folder, "\(path) cannot be \(what) (\(String(cString: strerror(number)))): \(advice)")
    }
}
