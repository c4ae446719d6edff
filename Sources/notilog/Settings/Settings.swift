import Configuration
import Foundation
import SystemPackage

/// Every setting's value and its source: options before environment before file before default.
struct Settings: Sendable {
    /// A setting with its value.
    struct Value: Sendable {
        var content: ConfigContent?
        var source: String
    }

    private(set) var values: [String: Value] = [:]

    /// - Parameters:
    ///   - options: values given on the command line, by key.
    ///   - file: a JSON or YAML file; `nil` for none.
    /// - Throws: ``CommandFailure`` if a value has the wrong type, a key is unknown, or the file cannot be read.
    init(options: [String: String], file: String?) async throws {
        var providers: [(source: String, provider: any ConfigProvider)] = []
        providers.append(("option", try Self.provider(options)))
        providers.append(("environment", EnvironmentVariablesProvider().prefixKeys(with: "notilog")))
        if let file { providers.append((file, try await Self.provider(file: file))) }
        for setting in Setting.all {
            values[setting.key] = try Self.value(of: setting, in: providers)
        }
    }

    private static func value(
        of setting: Setting,
        in providers: [(source: String, provider: any ConfigProvider)]
    ) throws(CommandFailure) -> Value {
        for (source, provider) in providers {
            do {
                let key = AbsoluteConfigKey(ConfigKey(setting.key))
                if let value = try provider.value(forKey: key, type: setting.type).value {
                    let name = source == "environment" ? setting.variable : source
                    return Value(content: value.content, source: name)
                }
            } catch {
                throw CommandFailure(
                    "\(setting.key) from \(source) is not of type \(setting.type.rawValue): \(setting.help)"
                )
            }
        }
        return Value(content: setting.standard, source: "standard")
    }

    private static func provider(_ options: [String: String]) throws -> InMemoryProvider {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, text) in options {
            guard let setting = Setting.all.first(where: { $0.key == key }) else {
                throw CommandFailure("there is no setting \(key): see `notilog serve --print-config`")
            }
            let content: ConfigContent? =
                switch setting.type {
                case .int: Int(text).map { .int($0) }
                case .double: Double(text).map { .double($0) }
                case .bool: Bool(text).map { .bool($0) }
                default: .string(text)
                }
            guard let content else {
                throw CommandFailure("\(key) is not of type \(setting.type.rawValue): \(setting.help)")
            }
            values[AbsoluteConfigKey(ConfigKey(key))] = ConfigValue(content, isSecret: setting.isSecret)
        }
        return InMemoryProvider(name: "options", values: values)
    }

    private static func provider(file: String) async throws -> any ConfigProvider {
        do {
            if file.lowercased().hasSuffix(".json") {
                return try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
            }
            return try await FileProvider<YAMLSnapshot>(filePath: FilePath(file))
        } catch {
            throw CommandFailure(
                "the file \(file) cannot be read as JSON (.json) or YAML: check its path and content"
            )
        }
    }
}

extension Settings {
    /// A text; `nil` if it is not set.
    func text(_ key: String) -> String? {
        if case .string(let text)? = values[key]?.content { text } else { nil }
    }

    /// A whole number.
    func integer(_ key: String) -> Int {
        if case .int(let number)? = values[key]?.content { number } else { 0 }
    }

    /// A number; `nil` if it is not set.
    func number(_ key: String) -> Double? {
        switch values[key]?.content {
        case .double(let number)?: number
        case .int(let number)?: Double(number)
        default: nil
        }
    }

    func flag(_ key: String) -> Bool {
        if case .bool(let flag)? = values[key]?.content { flag } else { false }
    }
}
