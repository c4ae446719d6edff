import Foundation

/// A file of environment variables, as systemd's `EnvironmentFile` reads one: a line `NAME=VALUE` each, values in quotes or
/// without, and comments that begin with `#` or `;`.
enum EnvironmentFile {
    /// Sets the variables of a file, but for those that are set already.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read, with the number of a line that is no variable, and never its text.
    static func load(_ path: String) throws(CommandFailure) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                "\(path) cannot be read: check --env-file, and whether this user may read the file"
            )
        }
        for (name, value) in try variables(in: String(decoding: data, as: UTF8.self), of: path) {
            setenv(name, value, 0)
        }
    }

    /// The variables of a file's text, in their order.
    static func variables(
        in text: String,
        of path: String
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        // A backslash at the end of a line continues it.
        let lines = text.replacing("\\\n", with: " ").split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex else {
                throw CommandFailure("line \(number) of \(path) is no variable: NAME=VALUE is expected")
            }
            let name = line[..<equals].trimmingCharacters(in: .whitespaces)
            let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            found.append((name, unquoted(value)))
        }
        return found
    }

    private static func unquoted(_ value: String) -> String {
        guard let quote = value.first, quote == "\"" || quote == "'", value.count > 1, value.last == quote else {
            return value
        }
        let inside = value.dropFirst().dropLast()
        guard quote == "\"" else { return String(inside) }
        var result = ""
        var isEscaped = false
        for character in inside {
            if isEscaped || character != "\\" { result.append(character) }
            isEscaped = !isEscaped && character == "\\"
        }
        return result
    }
}
