import Foundation
import Testing

@testable import NotilogClient

/// Where the queue is if the app does not say it. Apps may share the folder around it: an App Group's container, or
/// Application Support on a Mac.
@Suite("The default folder of the queue")
struct QueueFolderTests {
    private static let identifiers = [
        "/apps/One.app": "com.example.one",
        "/apps/One.app/PlugIns/Service.appex": "com.example.one.parts.service",
        "/apps/One.app/Watch/Watch.app": "com.example.one.watchkitapp",
        "/apps/Two.app": "com.example.two",
        "/apps/Hidden.app/PlugIns/Service.appex": "com.example.hidden.service",
        "/apps/Odd.appex": "odd",
    ]

    private func folder(_ bundle: String) -> String {
        let base = URL(fileURLWithPath: "/base")
        return Notilog.Options.queueFolder(in: base, of: URL(fileURLWithPath: bundle), process: "tool") {
            Self.identifiers[$0.path]
        }.path
    }

    @Test("Each app has one, and two apps never share one")
    func apps() {
        #expect(folder("/apps/One.app") == "/base/Notilog/com.example.one")
        #expect(folder("/apps/Two.app") == "/base/Notilog/com.example.two")
    }

    @Test("An extension has that of the app around it: on iOS, on a Mac, on a watch")
    func extensions() {
        #expect(folder("/apps/One.app/PlugIns/Service.appex") == folder("/apps/One.app"))
        #expect(folder("/apps/One.app/Extensions/Widget.appex") == folder("/apps/One.app"))
        #expect(folder("/apps/Two.app/Contents/PlugIns/Service.appex") == folder("/apps/Two.app"))
        let watch = folder("/apps/One.app/Watch/Watch.app")
        #expect(watch == "/base/Notilog/com.example.one.watchkitapp")
        #expect(folder("/apps/One.app/Watch/Watch.app/PlugIns/Kit.appex") == watch)
        #expect(folder("/apps/One.app/Watch/Watch.app/PlugIns/Kit.appex/PlugIns/Service.appex") == watch)
    }

    @Test("Where the app cannot be read, the extension's own identifier says which app it is")
    func unreadable() {
        #expect(folder("/apps/Hidden.app/PlugIns/Service.appex") == "/base/Notilog/com.example.hidden")
    }

    @Test("What has no identifier has the name of its process")
    func tools() {
        #expect(folder("/usr/bin") == "/base/Notilog/tool")
        #expect(folder("/apps/Unknown.app/PlugIns/Service.appex") == "/base/Notilog/tool")
        #expect(folder("/apps/Odd.appex") == "/base/Notilog/tool")
    }

    @Test("On tvOS it is in Caches, where alone apps may write, in an App Group too", arguments: [false, true])
    func ofSystem(isTV: Bool) {
        let group = URL(fileURLWithPath: "/group")
        let name = isTV ? "Caches" : "Application Support"
        #expect(Notilog.Options.baseFolder(in: group, isTV: isTV).path == "/group/Library/\(name)")
        let directory = isTV ? FileManager.SearchPathDirectory.cachesDirectory : .applicationSupportDirectory
        let own = FileManager.default.urls(for: directory, in: .userDomainMask).first
        #expect(Notilog.Options.baseFolder(in: nil, isTV: isTV) == own ?? FileManager.default.temporaryDirectory)
    }

    @Test("The one that the app gives is taken as it is")
    func given() {
        var options = Notilog.Options()
        #expect(options.queueFolder.deletingLastPathComponent().lastPathComponent == "Notilog")
        options.folder = URL(fileURLWithPath: "/mine")
        #expect(options.queueFolder.path == "/mine")
    }
}
