import Foundation

/// Foundation closes in a child what was open when it looked. What another thread opens between that look and the child's start is
/// inherited, and then the end of that thread's own process, or of what it writes, is not seen before this child's. So nothing
/// is opened for one process while another begins.
extension Process {
    private static let beginning = NSLock()

    /// Runs the process.
    func begin() throws {
        try Self.beginning.withLock { try run() }
    }

    /// A pipe for a process.
    static func pipe() -> Pipe {
        beginning.withLock { Pipe() }
    }
}
