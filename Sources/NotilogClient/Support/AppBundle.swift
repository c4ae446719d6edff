import Foundation

/// The app, by its bundle. In an extension it is the app around it: an extension has a version and languages of its own,
/// and its events are still the app's.
struct AppBundle: Sendable, Hashable {
    /// `CFBundleShortVersionString`.
    var version: String?
    /// The app's localization for this person; `nil` in the app itself, whose locale already has its language.
    var localization: String?

    /// The app that is running, or one of whose extensions is.
    static let current = AppBundle(of: Bundle.main.bundleURL) { url in
        guard let bundle = url == Bundle.main.bundleURL ? Bundle.main : Bundle(url: url) else { return nil }
        // The base of an interface is in a language that one of the others names.
        let languages = bundle.localizations.filter { $0 != "Base" }
        let preferred = Bundle.preferredLocalizations(from: languages, forPreferences: Locale.preferredLanguages)
        return (bundle.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String, preferred.first)
    }

    /// - Parameters:
    ///   - bundle: the bundle that is running, of the app or of one of its extensions.
    ///   - read: the version of a bundle, and its localization for this person; `nil` if it cannot be read.
    init(of bundle: URL, read: (URL) -> (version: String?, localization: String?)?) {
        if let app = Self.around(bundle), let found = read(app) {
            (version, localization) = found
        } else {
            version = read(bundle)?.version
        }
    }

    /// The bundle of the app around an extension; `nil` if this is no extension, or in none.
    static func around(_ bundle: URL) -> URL? {
        guard bundle.pathExtension == "appex" else { return nil }
        // The nearest app: a watch app is inside another one, and an extension may be inside an extension.
        var app = bundle
        repeat {
            app.deleteLastPathComponent()
        } while app.pathComponents.count > 1 && app.pathExtension != "app"
        return app.pathExtension == "app" ? app : nil
    }
}
