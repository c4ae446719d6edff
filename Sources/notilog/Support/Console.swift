import Foundation

/// Where a command writes: results to standard output, everything else to standard error.
enum Console {
    /// Whether a person reads standard error.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line of the result. At once, as a script may wait for it.
    static func print(_ line: String) {
        write(Array((line + "\n").utf8), to: FileHandle.standardOutput)
    }

    /// Writes bytes of the result as they are.
    static func print(bytes: [UInt8]) {
        write(bytes, to: FileHandle.standardOutput)
    }

    /// Writes a line about how it goes.
    static func note(_ line: String) {
        write(Array((line + "\n").utf8), to: FileHandle.standardError)
    }

    /// Writes over the line that is there.
    static func overwrite(_ text: String) {
        write(Array(("\r\u{1B}[K" + text).utf8), to: FileHandle.standardError)
    }

    /// A reader who went away, as `head` does, ends the writing quietly.
    private static func write(_ bytes: [UInt8], to handle: FileHandle) {
        bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while !rest.isEmpty {
                let count = Foundation.write(handle.fileDescriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
