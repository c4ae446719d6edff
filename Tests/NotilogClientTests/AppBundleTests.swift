import Foundation
import Testing

@testable import NotilogClient

/// What an extension records is the app's, as is the version that reports tell apart.
@Suite("The app's bundle")
struct AppBundleTests {
    private static let bundles: [String: (version: String?, localization: String?)] = [
        "/apps/One.app": ("4.1", "de"),
        "/apps/One.app/PlugIns/Service.appex": ("1.0", "en"),
        "/apps/One.app/Watch/Watch.app": ("4.0", "fr"),
        "/apps/Hidden.app/PlugIns/Service.appex": ("2.0", "en"),
    ]

    private func app(_ bundle: String) -> AppBundle {
        AppBundle(of: URL(fileURLWithPath: bundle)) { Self.bundles[$0.path] }
    }

    @Test("An extension has the version and the language of the app around it")
    func extensions() {
        let found = app("/apps/One.app/PlugIns/Service.appex")
        #expect(found.version == "4.1" && found.localization == "de")
        #expect(app("/apps/One.app/Contents/PlugIns/Service.appex") == found)
        let watch = app("/apps/One.app/Watch/Watch.app/PlugIns/Kit.appex/PlugIns/Service.appex")
        #expect(watch.version == "4.0" && watch.localization == "fr")
    }

    @Test("An app has its own version, and its locale says its language")
    func apps() {
        let found = app("/apps/One.app")
        #expect(found.version == "4.1" && found.localization == nil)
    }

    @Test("Where the app cannot be read, the extension's own version is better than none")
    func unreadable() {
        let found = app("/apps/Hidden.app/PlugIns/Service.appex")
        #expect(found.version == "2.0" && found.localization == nil)
        #expect(app("/usr/bin").version == nil)
    }

    @Test("The language of the app takes the place of the extension's, and the region stays")
    func languages() {
        #expect(Notilog.Context.languageTag("en_AT@rg=dezzzz", in: "de") == "de-AT")
        #expect(Notilog.Context.languageTag("zh-Hans_CN", in: "en") == "en-CN")
        #expect(Notilog.Context.languageTag("en_TW", in: "zh-Hant") == "zh-Hant-TW")
        #expect(Notilog.Context.languageTag("en_BR", in: "pt-BR") == "pt-BR")
        #expect(Notilog.Context.languageTag("en", in: "pt_BR") == "pt")
        // What Xcode called them once.
        #expect(Notilog.Context.languageTag("de_AT", in: "English") == "de-AT")
        #expect(Notilog.Context.languageTag("de_AT", in: nil) == "de-AT")
        #expect(Notilog.Context.languageTag("", in: "de") == nil)
    }
}
