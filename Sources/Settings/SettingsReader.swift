internal import Configuration
internal import Synchronization
internal import SystemPackage

/// Reads settings: options before environment before file before default.
///
/// Each component reads its own settings, and gives the default and the meaning of each; there is no other list. The reader
/// keeps what was read, for ``check()`` and for ``settings``.
public struct SettingsReader: Sendable {
    private let config: ConfigReader
    private let record: Record
    private let options: [String: String]
    /// The file, the keys that it has, and what reads it alone.
    private let file: (path: String, keys: Set<String>, config: ConfigReader)?
    /// The variables of the environment that are most likely meant for settings.
    private let variables: [String]

    /// - Parameters:
    ///   - options: values given on the command line, by key.
    ///   - environment: the process's variables.
    ///   - file: a JSON or YAML file; nil for none.
    /// - Throws: ``SettingsError`` if the file cannot be read.
    public init(options: [String: String], environment: [String: String], file: String?) async throws(SettingsError) {
        self.options = options
        variables = environment.filter { Setting.isMeant($0.key, $0.value) }.keys.sorted()
        var sources: [Source] = [.options]
        // Options are text, as variables are.
        let named = Dictionary(options.map { (Setting.name($0), $1) }) { $1 }
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(environmentVariables: named),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "notilog"),
        ]
        sources.append(.environment)
        if let file {
            let keys = FileKeys()
            let provider = try await Self.provider(file: file, keys)
            providers.append(provider)
            sources.append(.file(file))
            self.file = (file, keys.found.withLock { $0 }, ConfigReader(providers: [provider]))
        } else {
            self.file = nil
        }
        record = Record(sources: sources)
        config = ConfigReader(providers: providers, accessReporter: record)
    }

    private static func provider(file: String, _ keys: FileKeys) async throws(SettingsError) -> any ConfigProvider {
        do {
            if file.lowercased().hasSuffix(".json") {
                return try await FileProvider<JSONSnapshot>(
                    parsingOptions: .init(secretsSpecifier: .dynamic { key, _ in keys.add(key) }),
                    filePath: FilePath(file)
                )
            }
            return try await FileProvider<YAMLSnapshot>(
                parsingOptions: .init(secretsSpecifier: .dynamic { key, _ in keys.add(key) }),
                filePath: FilePath(file)
            )
        } catch {
            throw .file(file, error)
        }
    }

    /// A whole number; the default where it is less than the least value, or more than the greatest, which ``check()`` refuses. Choose
    /// the greatest such that whatever is computed of it stays within its type, and PostgreSQL takes it.
    public func integer(
        _ key: String,
        default standard: Int,
        atLeast least: Int,
        atMost most: Int,
        _ meaning: String
    ) -> Int {
        record.add(key, .int, meaning)
        return accepted(config.int(forKey: ConfigKey(key), default: standard), key, least, most) ?? standard
    }

    /// A whole number; nil if it is not set, less than the least value, or more than the greatest, which ``check()`` refuses.
    public func integer(_ key: String, atLeast least: Int, atMost most: Int, _ meaning: String) -> Int? {
        record.add(key, .int, meaning)
        return config.int(forKey: ConfigKey(key)).flatMap { accepted($0, key, least, most) }
    }

    private func accepted(_ value: Int, _ key: String, _ least: Int, _ most: Int) -> Int? {
        if value < least {
            record.refuse(key, "is \(value), and must be at least \(least)")
        } else if value > most {
            record.refuse(key, "is \(value), and must be at most \(most)")
        } else {
            return value
        }
        return nil
    }

    /// The most that a number may be: what is computed of it stays within the range of integers.
    private static let greatestNumber = 1e9

    /// A finite number; the default where it is less than the least value, or more than a thousand million, which ``check()``
    /// refuses.
    public func number(_ key: String, default standard: Double, atLeast least: Double, _ meaning: String) -> Double {
        record.add(key, .double, meaning)
        return accepted(config.double(forKey: ConfigKey(key), default: standard), key, least) ?? standard
    }

    /// A finite number; nil if it is not set, or out of the same bounds, which ``check()`` refuses.
    public func number(_ key: String, atLeast least: Double, _ meaning: String) -> Double? {
        record.add(key, .double, meaning)
        return config.double(forKey: ConfigKey(key)).flatMap { accepted($0, key, least) }
    }

    private func accepted(_ value: Double, _ key: String, _ least: Double) -> Double? {
        guard value.isFinite, value >= least else {
            record.refuse(key, "is \(value), and must be at least \(least)")
            return nil
        }
        guard value <= Self.greatestNumber else {
            record.refuse(key, "is \(value), and must be at most \(Int(Self.greatestNumber))")
            return nil
        }
        return value
    }

    /// A text.
    public func text(_ key: String, default standard: String, _ meaning: String) -> String {
        record.add(key, .string, meaning)
        return config.string(forKey: ConfigKey(key), default: standard)
    }

    /// A text; nil if it is not set.
    ///
    /// - Parameter isSecret: whether its value is hidden.
    public func text(_ key: String, isSecret: Bool = false, _ meaning: String) -> String? {
        record.add(key, .string, meaning, isSecret: isSecret)
        return config.string(forKey: ConfigKey(key), isSecret: isSecret)
    }

    /// The URL of a page; the default where it is none, which ``check()`` refuses.
    public func url(_ key: String, default standard: String, _ meaning: String) -> String {
        let text = text(key, default: standard, meaning)
        let rest = ["https://", "http://"].first(where: text.hasPrefix).map { text.dropFirst($0.count) }
        if let first = rest?.first, first != "/", !text.contains(where: \.isWhitespace) { return text }
        record.refuse(key, "must be a URL that begins with https:// or http://")
        return standard
    }

    /// A flag.
    public func flag(_ key: String, default standard: Bool, _ meaning: String) -> Bool {
        record.add(key, .bool, meaning)
        return config.bool(forKey: ConfigKey(key), default: standard)
    }

    /// Refuses a value that was read and that its component cannot use: ``check()`` says so.
    ///
    /// - Parameter fault: what is wrong, between the setting's source and its meaning.
    public func refuse(_ key: String, _ fault: String) { record.refuse(key, fault) }

    /// The settings that were read, ordered by key.
    public var settings: [Setting] {
        record.settings.withLock { $0.values.sorted { $0.key < $1.key } }
    }

    /// Checks the settings, once all are read.
    ///
    /// - Throws: ``SettingsError`` if a value has the wrong type or is out of its bounds, or an option or a key of the file
    ///   is unknown.
    public func check() throws(SettingsError) {
        let settings = settings
        // As they were looked for.
        let given = Set(options.keys.map { Setting.name($0) })
        for setting in settings {
            guard let fault = setting.fault else { continue }
            throw SettingsError(
                "\(setting.key) from \(setting.source ?? "") \(fault): \(setting.meaning)",
                isOfOption: given.contains(Setting.name(setting.key))
            )
        }
        let known = settings.map(\.key)
        for key in options.keys.sorted() where !known.contains(key) { throw .unknown(key, in: nil, known) }
        guard let file else { return }
        for key in file.keys.sorted() where !known.contains(key) {
            let below = known.filter { $0.hasPrefix(key + ".") }
            guard !below.isEmpty else { throw .unknown(key, in: file.path, known) }
            // A section whose settings are all commented out; in YAML it is the text "".
            let isEmpty = ["", "~", "null"].contains(file.config.string(forKey: ConfigKey(key)))
            guard isEmpty else { throw .section(key, from: file.path, below) }
        }
    }

    /// What to say of variables of the environment that are no setting, once all settings are read: each may be a slip that leaves
    /// a default in force. It is no error, as variables are not Notilog's alone. Their values, which may be secrets, are not told.
    public var warnings: [String] {
        let known = Set(settings.map(\.variable))
        let names = known.map { String($0.dropFirst(Setting.prefix.count)) }.sorted()
        return variables.filter { !known.contains($0) }.map { variable in
            let name = String(variable.dropFirst(Setting.prefix.count))
            let hint = name.nearest(of: names).map { "did you mean \(Setting.prefix)\($0)? " } ?? ""
            return "\(variable) is not a setting: \(hint)see `notilog serve --print-config`"
        }
    }
}

/// The keys of a file, which its provider tells of only as it asks of each whether its value is a secret.
private final class FileKeys: Sendable {
    let found = Mutex<Set<String>>([])

    func add(_ key: String) -> Bool {
        found.withLock { _ = $0.insert(key) }
        return false
    }
}

extension SettingsReader {
    private enum Source: Sendable {
        case options
        case environment
        case file(String)
    }

    /// The settings that were read, with their values and sources.
    private final class Record: AccessReporter {
        let settings = Mutex<[String: Setting]>([:])
        /// In the order of the providers.
        private let sources: [Source]

        init(sources: [Source]) {
            self.sources = sources
        }

        func add(_ key: String, _ type: ConfigType, _ meaning: String, isSecret: Bool = false) {
            let setting = Setting(key: key, type: type.rawValue, meaning: meaning, isSecret: isSecret)
            settings.withLock { $0[key] = setting }
        }

        func refuse(_ key: String, _ fault: String) {
            settings.withLock { $0[key]?.fault = fault }
        }

        func report(_ event: AccessEvent) {
            let key = event.metadata.key.description
            var found: (source: String, isFaulty: Bool)?
            // The last provider asked has the value, or could not convert it.
            if let last = event.providerResults.last {
                let source = name(sources[event.providerResults.count - 1], key)
                switch last.result {
                case .success(let lookup): if lookup.value != nil { found = (source, event.conversionError != nil) }
                case .failure: found = (source, true)
                }
            }
            settings.withLock { settings in
                settings[key]?.source = found?.source
                let type = settings[key]?.type ?? ""
                settings[key]?.fault = found?.isFaulty == true ? "is not of type \(type)" : nil
                settings[key]?.value = (try? event.result.get())?.content
            }
        }

        private func name(_ source: Source, _ key: String) -> String {
            switch source {
            case .options: "option"
            case .environment: Setting.variable(key)
            case .file(let path): path
            }
        }
    }
}
