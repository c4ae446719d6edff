internal import Configuration

/// A setting: by an option, by a variable of the environment, or in a file.
public struct Setting: Sendable {
    /// Its name: parts joined by dots, as in files.
    public let key: String
    /// The type of its value, such as `int`.
    public let type: String
    /// Its meaning.
    public let meaning: String
    /// Whether its value is hidden.
    public let isSecret: Bool
    /// The source of its value; nil for the default.
    public internal(set) var source: String?
    /// Why the source's value cannot be used; nil if it can.
    var fault: String?
    var value: ConfigContent?

    /// The variable of the environment: the key with underscores and capitals.
    public var variable: String { Self.variable(key) }

    /// The beginning of the variables of all settings.
    static let prefix = "NOTILOG_"

    static func variable(_ key: String) -> String {
        prefix + name(key)
    }

    /// The variable without its prefix.
    static func name(_ key: String) -> String {
        key.uppercased().split(separator: ".").joined(separator: "_")
    }

    /// The value as text; a secret is hidden.
    public var shown: String {
        guard let value else { return "-" }
        guard !isSecret else { return "(hidden)" }
        return switch value {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let flag): String(flag)
        default: "?"
        }
    }
}

/// Why settings cannot be read.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in one sentence that says what to do next.
    public let message: String
    /// Whether the command line is at fault, and neither the environment nor a file.
    public let isOfOption: Bool

    /// The message.
    public var description: String { message }

    init(_ message: String, isOfOption: Bool = false) {
        self.message = message
        self.isOfOption = isOfOption
    }

    /// A key that is not a setting: a slip that would leave the default in force.
    ///
    /// - Parameters:
    ///   - file: where it is; nil for an option.
    ///   - known: the keys of all settings.
    static func unknown(_ key: String, in file: String?, _ known: [String]) -> SettingsError {
        let hint = key.nearest(of: known).map { "did you mean \($0)? " } ?? ""
        return SettingsError(
            "\(key) from \(file ?? "option") is not a setting: \(hint)see `notilog serve --print-config`",
            isOfOption: file == nil
        )
    }

    /// A value in the place of a section, which would leave the defaults of its settings in force.
    ///
    /// - Parameter below: the keys of the settings in the section.
    static func section(_ key: String, from source: String, _ below: [String]) -> SettingsError {
        let names = below.prefix(5).joined(separator: ", ") + (below.count > 5 ? ", …" : "")
        return SettingsError(
            "\(key) from \(source) is not a setting, but a section with \(names): see `notilog serve --print-config`"
        )
    }
}
