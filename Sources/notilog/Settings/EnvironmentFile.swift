import Foundation

/// A file of environment variables as systemd's `EnvironmentFile` reads one (systemd.exec(5)): a line `NAME=VALUE` each, values in
/// quotes or without, and comments that begin with `#` or `;`. Lines that are neither are passed over there, and an error here. So is
/// a line that a shell would take and systemd does not, as `export NAME=VALUE`.
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
    static func variables(in text: String, of path: String) throws(CommandFailure) -> [(name: String, value: String)] {
        var reader = EnvironmentFileReader(text)
        var found: [(name: String, value: String)] = []
        while let (name, line) = reader.nextName() {
            guard let name else {
                throw CommandFailure("line \(line) of \(path) is no variable: NAME=VALUE is expected")
            }
            found.append((name, reader.nextValue()))
        }
        return found
    }
}

/// Takes a file's text apart.
private struct EnvironmentFileReader {
    private var rest: Substring
    private var line = 1

    init(_ text: String) {
        // Swift takes "\r\n" for one character.
        rest = text.replacing("\r\n", with: "\n")[...]
    }

    private mutating func next() -> Character? {
        let character = rest.popFirst()
        if character == "\n" { line += 1 }
        return character
    }

    /// The name of the next variable, up to its equals sign, or nil for a line that is none; with its line. Nil at the end.
    mutating func nextName() -> (name: String?, line: Int)? {
        while let first = rest.first {
            switch first {
            case " ", "\t", "\n": _ = next()
            case "#", ";": rest = rest.drop { $0 != "\n" }
            default:
                let name = rest.prefix { $0 != "=" && $0 != "\n" }
                rest = rest[name.endIndex...]
                let trimmed = name.trimmingCharacters(in: .whitespaces)
                let isVariable = rest.first == "=" && trimmed.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
                let line = line
                _ = next()
                return (isVariable ? trimmed : nil, line)
            }
        }
        return nil
    }

    /// The value up to the end of its line: quoted parts and others, one after the other. Quotes may hold ends of lines.
    mutating func nextValue() -> String {
        var value = ""
        /// White space that is part of the value only if more follows.
        var space = ""
        var quote: Character?
        while let character = rest.first, quote != nil || character != "\n" {
            _ = next()
            switch (character, quote) {
            case ("\"", nil), ("'", nil):
                quote = character
                value += space
                space = ""
            case ("\"", "\""), ("'", "'"): quote = nil
            case (" ", nil), ("\t", nil): if !value.isEmpty { space.append(character) }
            case ("\\", nil), ("\\", "\""):
                // At the end of a line it continues the line. In quotes it escapes but a few characters.
                guard let escaped = next(), escaped != "\n" else { continue }
                value += space
                space = ""
                if quote != nil, !"\"\\`$".contains(escaped) { value.append("\\") }
                value.append(escaped)
            default:
                value += space
                space = ""
                value.append(character)
            }
        }
        return value
    }
}
