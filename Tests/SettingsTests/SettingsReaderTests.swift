import Foundation
import Settings
import Testing

/// Where the value of a setting comes from, and what is said of one that cannot be used.
struct SettingsReaderTests {
    private func reader(
        _ options: [String: String] = [:],
        _ environment: [String: String] = [:],
        file: (name: String, text: String)? = nil
    ) async throws -> SettingsReader {
        guard let file else { return try await SettingsReader(options: options, environment: environment, file: nil) }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(file.name)")
        try Data(file.text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await SettingsReader(options: options, environment: environment, file: url.path)
    }

    private func read(_ reader: SettingsReader) -> [String] {
        [
            String(reader.integer("limits.a_b", default: 1, atLeast: 1, atMost: 9, "one")),
            String(reader.number("limits.rate", default: 1.5, atLeast: 0.5, "two")),
            reader.text("limits.name", default: "x", "three"),
            String(reader.flag("limits.on", default: false, "four")),
        ]
    }

    private static let file = "limits:\n  a_b: 2\n  rate: 2.5\n  name: f\n  on: true\n"

    @Test func defaultsAreWhatTheComponentSays() async throws {
        let reader = try await reader()
        #expect(read(reader) == ["1", "1.5", "x", "false"])
        #expect(reader.integer("limits.none", atLeast: 0, atMost: 9, "five") == nil)
        try reader.check()
        #expect(reader.settings.map(\.key) == ["limits.a_b", "limits.name", "limits.none", "limits.on", "limits.rate"])
        #expect(reader.settings.map(\.shown) == ["1", "x", "-", "false", "1.5"])
        #expect(reader.settings.allSatisfy { $0.source == nil })
        #expect(reader.settings[0].variable == "NOTILOG_LIMITS_A_B" && reader.settings[0].meaning == "one")
    }

    @Test func optionsComeBeforeEnvironmentBeforeFile() async throws {
        let reader = try await reader(
            ["limits.a_b": "4"],
            ["NOTILOG_LIMITS_A_B": "3", "NOTILOG_LIMITS_RATE": "3"],
            file: ("s.yaml", Self.file)
        )
        #expect(read(reader) == ["4", "3.0", "f", "true"])
        try reader.check()
        let sources = Dictionary(uniqueKeysWithValues: reader.settings.map { ($0.key, $0.source ?? "") })
        #expect(sources["limits.a_b"] == "option" && sources["limits.rate"] == "NOTILOG_LIMITS_RATE")
        #expect(sources["limits.on"]?.hasSuffix("s.yaml") == true)
    }

    @Test func aJSONFileIsReadAsOne() async throws {
        let reader = try await reader(file: ("s.json", #"{"limits": {"a_b": 7}}"#))
        #expect(read(reader)[0] == "7")
    }

    private static let unusable: [([String: String], [String: String], String)] = [
        (["limits.a_b": "four"], [:], "limits.a_b from option is not of type int: one"),
        ([:], ["NOTILOG_LIMITS_RATE": "fast"], "limits.rate from NOTILOG_LIMITS_RATE is not of type double: two"),
        ([:], ["NOTILOG_LIMITS_ON": "perhaps"], "limits.on from NOTILOG_LIMITS_ON is not of type bool: four"),
        (["limits.a_b": "0"], [:], "limits.a_b from option is 0, and must be at least 1: one"),
        ([:], ["NOTILOG_LIMITS_A_B": "-3"], "limits.a_b from NOTILOG_LIMITS_A_B is -3, and must be at least 1: one"),
        (
            [:], ["NOTILOG_LIMITS_DAYS": "9"], "limits.days from NOTILOG_LIMITS_DAYS is 9, and must be at most 7: five"
        ), (["limits.days": "0"], [:], "limits.days from option is 0, and must be at least 1: five"),
        (["limits.rate": "0"], [:], "limits.rate from option is 0.0, and must be at least 0.5: two"),
        (["limits.rate": "nan"], [:], "limits.rate from option is nan, and must be at least 0.5: two"),
        (["limits.rate": "inf"], [:], "limits.rate from option is inf, and must be at least 0.5: two"),
        (["limits.rate": "1e300"], [:], "limits.rate from option is 1e+300, and must be at most 1000000000: two"),
        (["limits.a_b": "10"], [:], "limits.a_b from option is 10, and must be at most 9: one"),
        (
            ["limits.ab": "4"], [:],
            "limits.ab from option is not a setting: did you mean limits.a_b? see `notilog serve --print-config`"
        ),
        (
            ["limits_a_b": "4"], [:],
            "limits_a_b from option is not a setting: did you mean limits.a_b? see `notilog serve --print-config`"
        ), (["host": "::"], [:], "host from option is not a setting: see `notilog serve --print-config`"),
    ]

    @Test(arguments: unusable)
    func whatCannotBeUsedIsNamed(_ options: [String: String], _ environment: [String: String], _ message: String)
        async throws
    {
        let reader = try await reader(options, environment)
        _ = read(reader)
        #expect(reader.integer("limits.days", atLeast: 1, atMost: 7, "five") == nil)
        let error = #expect(throws: SettingsError.self) { try reader.check() }
        #expect(error?.message == message)
        // The one is a slip of who runs a command, the other of who set the machine up.
        #expect(error?.isOfOption == !options.isEmpty)
    }

    @Test("a component refuses a value that it cannot use", arguments: [true, false])
    func refusedValues(isOfOption: Bool) async throws {
        let reader = try await reader(isOfOption ? ["name": "f"] : [:], isOfOption ? [:] : ["NOTILOG_NAME": "f"])
        #expect(reader.text("name", "x or y") == "f")
        try reader.check()
        reader.refuse("name", "is none of these")
        let error = #expect(throws: SettingsError.self) { try reader.check() }
        #expect(error?.message == "name from \(isOfOption ? "option" : "NOTILOG_NAME") is none of these: x or y")
        #expect(error?.isOfOption == isOfOption)
    }

    @Test(
        "a URL of a page is one that people can open",
        arguments: [
            ("https://notilog.example.com/", true), ("http://127.0.0.1:8080", true), ("notilog.example.com", false),
            ("https:///", false),
            ("https://a b", false), ("", false),
        ]
    )
    func pages(text: String, isAccepted: Bool) async throws {
        let reader = try await reader(["page": text], [:])
        #expect(reader.url("page", default: "http://localhost/", "where") == (isAccepted ? text : "http://localhost/"))
        guard !isAccepted else { return try reader.check() }
        let error = #expect(throws: SettingsError.self) { try reader.check() }
        #expect(error?.message.contains("must be a URL that begins with https:// or http://") == true)
    }

    /// A slip in the file would leave the default in force without a word.
    @Test(arguments: [
        ("s.yaml", "limits:\n  a_b: 2\n  nmae: f\n"), ("s.yaml", "limits.a_b: 2\nlimits:\n  nmae: [f, g]\n"),
        ("s.json", #"{"limits": {"a_b": 2, "nmae": "f"}}"#),
    ])
    func aKeyOfTheFileThatIsNoSettingIsNamed(name: String, text: String) async throws {
        let reader = try await reader(file: (name, text))
        _ = read(reader)
        let error = #expect(throws: SettingsError.self) { try reader.check() }
        #expect(error?.message.hasPrefix("limits.nmae from /") == true && error?.isOfOption == false)
        let expected = " is not a setting: did you mean limits.name? see `notilog serve --print-config`"
        #expect(error?.message.hasSuffix(name + expected) == true)
    }

    @Test(arguments: [
        ("s.yaml", "limits:\n#  a_b: 2\n"), ("s.yaml", "limits: ~\n"), ("s.yaml", "limits: {}\n"),
        ("s.json", #"{"limits": {}}"#), ("s.json", #"{"limits": null}"#),
    ])
    func aSectionOfTheFileMayBeEmpty(name: String, text: String) async throws {
        let reader = try await reader(file: (name, text))
        #expect(read(reader)[0] == "1")
        try reader.check()
    }

    /// As where the setting's own name was left out.
    @Test(arguments: [
        ("s.yaml", "limits: 2\n"), ("s.yaml", "limits: [1]\n"), ("s.yaml", "limits: []\n"),
        ("s.yaml", "limits: postgresql:///notilog\n"), ("s.json", #"{"limits": "x"}"#), ("s.json", #"{"limits": 2}"#),
        ("s.json", #"{"limits": [1]}"#), ("s.json", #"{"limits": true}"#),
    ])
    func aValueInThePlaceOfASectionIsNamed(name: String, text: String) async throws {
        let reader = try await reader(file: (name, text))
        _ = read(reader)
        let error = #expect(throws: SettingsError.self) { try reader.check() }
        #expect(error?.message.hasPrefix("limits from /") == true)
        let names = "limits.a_b, limits.name, limits.on, limits.rate"
        let expected = " is not a setting, but a section with \(names): see `notilog serve --print-config`"
        #expect(error?.message.hasSuffix(name + expected) == true, "\(error?.message ?? "")")
    }

    /// A slip there would leave the default in force too; others' variables are no reason not to start.
    @Test func aVariableThatIsNoSettingIsNamedWithoutItsValue() async throws {
        let reader = try await reader(
            ["limits.a_b": "4"],
            [
                "NOTILOG_LIMITS_AB": "hush", "NOTILOG_LIMITS_NAME": "f", "NOTILOG_TLS": "hush", "HOME": "/",
                "PGHOST": "hush", "notilog_limits_on": "hush",
            ]
        )
        _ = read(reader)
        try reader.check()
        #expect(
            reader.warnings == [
                "NOTILOG_LIMITS_AB is not a setting: did you mean NOTILOG_LIMITS_A_B? see `notilog serve --print-config`",
                "NOTILOG_TLS is not a setting: see `notilog serve --print-config`",
            ]
        )
    }

    @Test("variables that others set or read are not taken for slips")
    func otherVariables() async throws {
        let reader = try await reader(
            [:],
            [
                "NOTILOG_SHARE": "/", "NOTILOG_COMMAND": "/", "NOTILOG_TEST_TRAP": "1", "NOTILOG_EXPORT_OPTIONS": "",
                "NOTILOG_GRAFANA_USER": "u", "NOTILOG_PORT": "tcp://10.0.0.1:80",
                "NOTILOG_PORT_80_TCP": "tcp://10.0.0.1",
                "NOTILOG_PORT_80_TCP_ADDR": "10.0.0.1", "NOTILOG_SERVICE_HOST": "10.0.0.1",
                "NOTILOG_SERVICE_PORT_HTTP": "80", "NOTILOG_DB_SERVICE_PORT": "5432",
                "NOTILOG_DB_PORT": "tcp://10.0.0.1:5432",
            ]
        )
        _ = read(reader)
        #expect(reader.warnings.isEmpty)
        let port = try await self.reader([:], ["NOTILOG_PORT": "8080"])
        #expect(port.warnings == ["NOTILOG_PORT is not a setting: see `notilog serve --print-config`"])
    }

    @Test func aSecretIsNotShown() async throws {
        let reader = try await reader([:], ["NOTILOG_URL": "postgresql://u:hush@h/d"])
        #expect(reader.text("url", isSecret: true, "where") == "postgresql://u:hush@h/d")
        #expect(reader.settings.map(\.shown) == ["(hidden)"])
    }

    @Test(arguments: [
        ("/nowhere.yaml", "there is no file /nowhere.yaml"), ("/dev/null/a.yaml", "there is no file /dev/null/a.yaml"),
        ("/tmp", "/tmp is a folder"),
    ])
    func aFileThatCannotBeReadIsNamed(_ path: String, _ message: String) async throws {
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsReader(options: [:], environment: [:], file: path)
        }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    /// What the file holds is not told: it may be a secret.
    @Test(arguments: [
        ("s.yaml", "http:\n  port: [1\nhush: }\n", "is not valid YAML at line 3"),
        ("s.yaml", "http: \u{0}", "is not text in UTF-8"),
        ("s.yaml", "- hush\n", "has no settings in YAML"),
        ("s.json", "[]", "has no settings in JSON"),
    ])
    func whatIsWrongWithAFileIsSaid(_ name: String, _ text: String, _ message: String) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsReader(options: [:], environment: [:], file: url.path)
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("hush") == false)
    }
}
