import Foundation
import Synchronization

/// A command's output: results to standard output, everything else to standard error.
enum Console {
    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    private static let failed = Mutex<String?>(nil)

    /// Why some of the result could not be written, if it could not: the command fails when it ends.
    static var failure: String? { failed.withLock { $0 } }

    /// Writes a line of the result, unbuffered, because a script may wait for it.
    static func print(_ line: String) {
        write(Array((line + "\n").utf8), to: FileHandle.standardOutput)
    }

    /// Writes bytes of the result.
    static func print(bytes: [UInt8]) {
        write(bytes, to: FileHandle.standardOutput)
    }

    /// Writes a line about progress.
    static func note(_ line: String) {
        write(Array((line + "\n").utf8), to: FileHandle.standardError)
    }

    /// Overwrites the current line.
    static func overwrite(_ text: String) {
        write(Array(("\r\u{1B}[K" + text).utf8), to: FileHandle.standardError)
    }

    private static func write(_ bytes: [UInt8], to handle: FileHandle) {
        bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while !rest.isEmpty {
                let count = Foundation.write(handle.fileDescriptor, rest.baseAddress, rest.count)
                let error = errno
                if count < 0 && error == EINTR { continue }
                guard count > 0 else { return note(error, writing: handle) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// If the reader is gone, as with `head`, writing ends quietly.
    private static func note(_ error: CInt, writing handle: FileHandle) {
        guard error != EPIPE, handle.fileDescriptor == STDOUT_FILENO else { return }
        failed.withLock { $0 = $0 ?? String(cString: strerror(error)) }
    }
}
