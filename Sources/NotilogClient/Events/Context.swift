public import Foundation

extension Notilog {
    /// The app's environment, sent with each event. It does not identify the person.
    public struct Context: Sendable, Hashable {
        /// `ios`, `ipados`, `tvos`, `watchos`, `macos`, `visionos` or `other`.
        public var platform: String
        /// The system's version, such as `18.2`.
        public var osVersion: String?
        /// The app's version (`CFBundleShortVersionString`), also in its extensions.
        public var appVersion: String?
        /// The language and region, as a BCP 47 tag.
        public var locale: String?
        /// The time zone of the device.
        public var zone: TimeZone
        /// The hardware, such as `iPhone17,1`.
        public var deviceModel: String?

        /// Creates a context from custom values.
        public init(
            platform: String,
            osVersion: String? = nil,
            appVersion: String? = nil,
            locale: String? = nil,
            zone: TimeZone = .current,
            deviceModel: String? = nil
        ) {
            self.platform = platform
            self.osVersion = osVersion
            self.appVersion = appVersion
            self.locale = locale
            self.zone = zone
            self.deviceModel = deviceModel
        }

        /// The current context of this device and app.
        public static var current: Context {
            let model = Hardware.model
            let version = ProcessInfo.processInfo.operatingSystemVersion
            let patch = version.patchVersion == 0 ? "" : ".\(version.patchVersion)"
            return Context(
                platform: platform(model: model),
                osVersion: "\(version.majorVersion).\(version.minorVersion)\(patch)",
                appVersion: AppBundle.current.version,
                locale: languageTag(Locale.autoupdatingCurrent.identifier, in: AppBundle.current.localization),
                zone: .autoupdatingCurrent,
                deviceModel: model
            )
        }

        static func platform(model: String?) -> String {
            #if os(iOS)
                model?.hasPrefix("iPad") == true ? "ipados" : "ios"
            #elseif os(tvOS)
                "tvos"
            #elseif os(watchOS)
                "watchos"
            #elseif os(macOS)
                "macos"
            #elseif os(visionOS)
                "visionos"
            #else
                "other"
            #endif
        }

        /// Foundation's `en_US@rg=gbzzzz` or `C.UTF-8` as a tag.
        ///
        /// - Parameter localization: a language to put in the place of the identifier's, such as `de` or `zh-Hant`. The
        ///   region stays.
        static func languageTag(_ identifier: String, in localization: String? = nil) -> String? {
            let tag = identifier.prefix { $0 != "@" && $0 != "." }.replacingOccurrences(of: "_", with: "-")
            guard !tag.isEmpty else { return nil }
            let spoken = (localization ?? "").split { $0 == "-" || $0 == "_" }
            guard let language = spoken.first, (2...3).contains(language.count) else { return tag }
            func isScript(_ part: Substring) -> Bool { part.count == 4 && part.allSatisfy(\.isLetter) }
            let script = spoken.dropFirst().prefix(while: isScript)
            let region = tag.split(separator: "-").dropFirst().drop(while: isScript)
            return ([language] + script + region).joined(separator: "-")
        }

        var value: Value {
            var fields: [String: Value] = [
                "platform": .string(platform), "time_zone": .string(zone.identifier),
                "sdk_version": .string(Notilog.version),
            ]
            for (name, text) in [
                ("os_version", osVersion), ("app_version", appVersion), ("locale", locale),
                ("device_model", deviceModel),
            ] {
                if let text, !text.isEmpty { fields[name] = .string(text) }
            }
            return .object(fields)
        }
    }
}

enum Hardware {
    /// The model's identifier, such as `iPhone17,1`. A simulator has the identifier of the model it simulates.
    static let model: String? = {
        if let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] { return simulated }
        #if os(macOS)
            return string("hw.model")
        #elseif canImport(Darwin)
            return string("hw.machine")
        #else
            return nil
        #endif
    }()

    #if canImport(Darwin)
        private static func string(_ name: String) -> String? {
            var size = 0
            guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    #endif
}
