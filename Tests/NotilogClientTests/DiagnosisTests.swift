import Foundation
import Testing

@testable import NotilogClient

/// The client says when it cannot hear.
@Suite("Diagnosis")
struct DiagnosisTests {
    private func run(
        _ set: (inout Notilog.Options) -> Void = { _ in },
        _ body: (Notilog, Guarded<[String]>) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let log = Guarded<[String]>([])
            var options = Notilog.Options()
            options.folder = folder
            options.limits.durability = .processEnd
            options.sendsAutomatically = false
            options.transport = TestTransport { _, _ in Notilog.IncomingAnswer(status: 401) }
            options.clock = TestClock()
            options.log = { message in log.withLock { $0.append(message) } }
            set(&options)
            let url = try #require(URL(string: "http://127.0.0.1:1"))
            try await body(Notilog(url: url, writeKey: "key", deviceID: "d", options: options), log)
        }
    }

    private func push(_ payload: [String: Any]) -> Notilog.Delivered {
        let content = Notilog.Content(payload: payload)
        return Notilog.Delivered(
            Notilog.Request(identifier: "r", content: content, trigger: Notilog.Trigger(.push)),
            date: nil
        )
    }

    @Test("An app that is set up well has no findings")
    func nothing() async throws {
        try await run { notilog, log in
            let notification = push(["aps": ["alert": "x"], "notilog": ["id": "n"]])
            notilog.record(notification, source: .willPresent)
            notilog.record(Notilog.Response(notification, actionIdentifier: "like"))
            #expect(notilog.diagnosis() == [])
            notilog.logDiagnosis()
            #expect(log.withLock { $0.isEmpty })
        }
    }

    @Test("Notifications without a mark are counted, and logged once")
    func unmarked() async throws {
        try await run { notilog, log in
            let notification = push(["aps": ["alert": "x"]])
            notilog.record(notification, source: .willPresent)
            notilog.record(Notilog.Response(notification, actionIdentifier: "like"))
            notilog.record(remoteNotification: ["aps": ["alert": "y"]], appState: .inactive)
            #expect(notilog.diagnosis() == [.unmarked(3)])
            notilog.logDiagnosis()
            notilog.logDiagnosis()
            #expect(log.withLock { $0.count } == 1)
            #expect(log.withLock { $0.first?.contains("without a mark") } == true)
        }
    }

    @Test("A push for a service extension that none ever recorded")
    func extensionSilent() async throws {
        try await run { notilog, _ in
            let notification = push(["aps": ["alert": "x", "mutable-content": 1], "notilog": ["id": "n"]])
            notilog.record(notification, source: .willPresent)
            #expect(notilog.diagnosis() == [.extensionSilent])
            notilog.record(
                notification,
                source: .serviceExtension,
                outcome: Notilog.ExtensionOutcome(.modified, duration: 1)
            )
            #expect(notilog.diagnosis() == [])
        }
    }

    @Test("A push without words starts no service extension, and so blames none")
    func nothingToChange() async throws {
        try await run { notilog, _ in
            let silent: [[String: Any]] = [
                ["content-available": 1], ["badge": 3], ["sound": "default"], ["alert": ""], ["alert": [String: Any]()],
            ]
            for aps in silent {
                let fields = aps.merging(["mutable-content": 1]) { own, _ in own }
                let payload: [String: Any] = ["aps": fields, "notilog": ["id": "n"]]
                notilog.record(push(payload), source: .deliveredList)
                notilog.record(remoteNotification: payload, appState: .background)
            }
            #expect(notilog.diagnosis() == [])
        }
    }

    @Test("Without consent a service extension is not called silent, nor for what came before it")
    func extensionWithoutConsent() async throws {
        try await run({ $0.requiresConsent = true }) { notilog, _ in
            let notification = push(["aps": ["alert": "x", "mutable-content": 1], "notilog": ["id": "n"]])
            notilog.record(notification, source: .willPresent)
            #expect(notilog.diagnosis() == [])
            notilog.setConsent(true)
            #expect(notilog.diagnosis() == [])
            let outcome = Notilog.ExtensionOutcome(.modified, duration: 1)
            notilog.record(notification, source: .serviceExtension, outcome: outcome)
            notilog.record(notification, source: .willPresent)
            #expect(notilog.diagnosis() == [])
            // A refusal forgets that it was heard.
            notilog.setConsent(false)
            #expect(notilog.diagnosis() == [])
            notilog.setConsent(true)
            #expect(notilog.diagnosis() == [])
            notilog.record(notification, source: .willPresent)
            #expect(notilog.diagnosis() == [.extensionSilent])
        }
    }

    @Test("An extension that has neither an App Group nor a folder keeps its queue for itself, and says so")
    func extensionAlone() async throws {
        var options = Notilog.Options()
        options.bundle = URL(fileURLWithPath: "/App.app/PlugIns/Service.appex")
        #expect(options.isExtensionAlone)
        let storage = Notilog.FileQueue(folder: FileManager.default.temporaryDirectory)
        let settings: [(inout Notilog.Options) -> Void] = [
            { $0.appGroup = "group.example" }, { $0.folder = FileManager.default.temporaryDirectory },
            { $0.storage = storage }, { $0.bundle = URL(fileURLWithPath: "/App.app") },
        ]
        for set in settings {
            var changed = options
            set(&changed)
            #expect(!changed.isExtensionAlone)
        }
        try await run({ options in
            (options.bundle, options.folder) = (URL(fileURLWithPath: "/App.app/PlugIns/Service.appex"), nil)
        }) { notilog, _ in
            #expect(notilog.diagnosis() == [.appGroupUnset])
        }
    }

    @Test("A missing App Group, and a production key in a build that is signed for development")
    func configuration() async throws {
        try await run({ options in
            options.appGroup = "group.example"
            options.provisioning = Provisioning(isSandbox: true, isDebug: true)
        }) { notilog, _ in
            #expect(notilog.diagnosis() == [.appGroupMissing("group.example"), .productionKeyInDebugBuild])
        }
        try await run({ options in
            options.keyEnvironment = .development
            options.provisioning = Provisioning(isSandbox: true, isDebug: true)
        }) { notilog, _ in
            #expect(notilog.diagnosis() == [])
        }
    }

    @Test("A key that the service refuses, until it does not")
    func barred() async throws {
        let clock = TestClock()
        let isOpen = Guarded(false)
        try await run({ options in
            options.clock = clock
            options.transport = TestTransport { _, request in
                isOpen.withLock { $0 } ? .taken(request.events.count) : Notilog.IncomingAnswer(status: 401)
            }
        }) { notilog, _ in
            notilog.track(.sample)
            await notilog.flush()
            #expect(notilog.diagnosis() == [.barred(status: 401, code: nil)])
            isOpen.withLock { $0 = true }
            clock.advance(3600)
            await notilog.flush()
            #expect(notilog.diagnosis() == [])
        }
    }

    static func profile(_ environment: String, isDebug: Bool) -> Data {
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>Name</key><string>App</string><key>Entitlements</key><dict>
            <key>aps-environment</key><string>\(environment)</string><key>get-task-allow</key><\(isDebug)/>
            </dict></dict></plist>
            """
        return Data([0x30, 0x82, 0x2F, 0xFF, 0x06, 0x09]) + Data(list.utf8) + Data([0xA0, 0x82, 0x00])
    }

    @Test("The provisioning profile says of which environment the tokens are")
    func provisioning() throws {
        #expect(
            Provisioning(profile: Self.profile("development", isDebug: true))
                == Provisioning(isSandbox: true, isDebug: true)
        )
        #expect(Provisioning(profile: Self.profile("production", isDebug: false)) == Provisioning())
        #expect(Provisioning(profile: Data("<?xml nothing".utf8)) == nil)
        #expect(Provisioning(profile: Data()) == nil)
    }

    @Test("A token takes its environment from the profile, unless the app says it")
    func environment() async throws {
        try await run({ $0.provisioning = Provisioning(isSandbox: true, isDebug: false) }) { notilog, _ in
            notilog.record(deviceToken: Data([1]), topic: "t")
            notilog.record(activityToken: Data([2]), activityID: "a", topic: "t")
            notilog.record(tokenFailure: NSError(domain: "d", code: 1), topic: "t")
            notilog.record(deviceToken: Data([3]), topic: "t", isSandbox: false)
            let events = try notilog.storage.oldest(9, bytes: .max).compactMap {
                try JSONSerialization.jsonObject(with: $0.json) as? [String: Any]
            }
            #expect(
                events.map { $0["environment"] as? String } == ["sandbox", "sandbox", "sandbox", "production"]
            )
        }
    }
}
