import Configuration

/// A setting: by an option, by `NOTILOG_<KEY>` in the environment, or in a file.
struct Setting: Sendable {
    /// Its name: parts joined by dots, as in files; the environment variable has underscores and capitals.
    let key: String
    /// Its default.
    let standard: ConfigContent?
    let type: ConfigType
    /// Whether its value is hidden.
    var isSecret = false
    /// Its meaning.
    let help: String

    static func integer(_ key: String, _ standard: Int?, _ help: String) -> Setting {
        Setting(key: key, standard: standard.map { .int($0) }, type: .int, help: help)
    }

    static func text(_ key: String, _ standard: String?, isSecret: Bool = false, _ help: String) -> Setting {
        Setting(key: key, standard: standard.map { .string($0) }, type: .string, isSecret: isSecret, help: help)
    }

    static func number(_ key: String, _ standard: Double?, _ help: String) -> Setting {
        Setting(key: key, standard: standard.map { .double($0) }, type: .double, help: help)
    }

    static func flag(_ key: String, _ standard: Bool, _ help: String) -> Setting {
        Setting(key: key, standard: .bool(standard), type: .bool, help: help)
    }

    /// The environment variable.
    var variable: String {
        "NOTILOG_" + key.uppercased().split(separator: ".").joined(separator: "_")
    }
}
