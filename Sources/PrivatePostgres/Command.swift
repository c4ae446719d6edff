internal import Foundation

/// Runs a program to its end without blocking a thread of the cooperative pool.
enum Command {
    /// - Parameters:
    ///   - arguments: the program's path and its arguments.
    ///   - folder: where it runs; also where its output is kept meanwhile. A file rather than a pipe, as a server started
    ///     by the program holds its output open.
    /// - Returns: what it wrote.
    /// - Throws: ``PrivatePostgresError`` with what it wrote, where it fails.
    @discardableResult
    static func run(_ arguments: [String], in folder: String) async throws(PrivatePostgresError) -> String {
        let outputPath = "\(folder)/.output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: outputPath) }
        let child = try ChildProcess.spawn(arguments, folder: folder, input: nil, outputPath: outputPath)
        let status = await withCheckedContinuation { continuation in
            // A thread of its own, as waiting blocks.
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
