internal import Foundation

/// Runs a program to its end without blocking a thread of the cooperative pool.
enum Command {
    /// - Parameters:
    ///   - arguments: the program's path and its arguments.
    ///   - folder: its working directory, where its output is stored too. A file rather than a pipe, because a server started
    ///     by the program keeps its output open.
    /// - Returns: its output.
    /// - Throws: ``PrivatePostgresError`` with its output, if it fails.
    @discardableResult
    static func run(_ arguments: [String], in folder: String) async throws(PrivatePostgresError) -> String {
        let outputPath = "\(folder)/.output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: outputPath) }
        let child = try ChildProcess.spawn(arguments, folder: folder, input: nil, outputPath: outputPath)
        let status = await withCheckedContinuation { continuation in
            // On a thread of its own, because waiting blocks.
            Thread.detachNewThread { continuation.resume(returning: child.wait()) }
        }
        let text = String(decoding: FileManager.default.contents(atPath: outputPath) ?? Data(), as: UTF8.self)
        guard status == 0 else {
            let name = arguments.first { $0.hasPrefix("/") && !$0.hasSuffix("setpriv") } ?? arguments[0]
            throw PrivatePostgresError("\(name) failed with status \(status): \(text.suffix(2000))")
        }
        return text
    }
}
