import Foundation
import Testing

@testable import NotilogClient

/// Events that the system goes on sending.
@Suite("Background uploads")
struct HandoverTests {
    /// The system, which sends when the test says so; it outlives the recorder, as it does a process.
    final class System: Notilog.BackgroundUploads {
        struct Upload {
            var request: Notilog.OutgoingRequest
            var file: URL
            var name: String
            var date: Date?

            var events: [[String: Any]] {
                var request = request
                request.body = (try? Data(contentsOf: file)) ?? Data()
                return request.events
            }
        }

        struct State {
            var uploads: [Upload] = []
            var onEnd: (@Sendable (String, Notilog.IncomingAnswer?) async -> Void)?
            /// What happens just before an upload begins.
            var beforeBegin: (@Sendable () -> Void)?
        }

        let state = Guarded(State())

        var uploads: [Upload] { state.withLock { $0.uploads } }

        func observe(_ onEnd: @escaping @Sendable (String, Notilog.IncomingAnswer?) async -> Void) {
            state.withLock { $0.onEnd = onEnd }
        }

        func underWay() async -> [String] { uploads.map(\.name) }

        func begin(_ request: Notilog.OutgoingRequest, file: URL, name: String, notBefore date: Date?) {
            let beforeBegin = state.withLock { $0.beforeBegin }
            beforeBegin?()
            state.withLock { $0.uploads.append(Upload(request: request, file: file, name: name, date: date)) }
        }

        func cancel() { state.withLock { $0.uploads = [] } }

        func end(_ answer: Notilog.IncomingAnswer?) async {
            let (upload, onEnd) = state.withLock { ($0.uploads.isEmpty ? nil : $0.uploads.removeFirst(), $0.onEnd) }
            if let upload { await onEnd?(upload.name, answer) }
        }
    }

    /// Gives time, and takes it back when a test says so.
    final class Granted: Notilog.BackgroundTime {
        private let tasks = Guarded<[Task<Void, Never>]>([])

        func run(_ reason: String, _ work: @escaping @Sendable () async -> Void) {
            let task = Task { await work() }
            tasks.withLock { $0.append(task) }
        }

        func expire() {
            for task in tasks.withLock({ $0 }) { task.cancel() }
        }
    }

    private struct World {
        let folder: URL
        let system = System()
        let clock = TestClock()
        let notifications = NotificationCenter()
        let reports = Guarded<[Notilog.Report]>([])
        var backgroundTime: any Notilog.BackgroundTime = Notilog.SystemBackgroundTime()

        func recorder(_ transport: TestTransport) throws -> Notilog {
            var options = Notilog.Options()
            options.folder = folder
            options.limits.durability = .processEnd
            options.transport = transport
            options.clock = clock
            options.notifications = notifications
            options.context = { .sample }
            options.random = { 0.5 }
            options.batchEvents = 3
            options.backgroundUploads = system
            options.backgroundTime = backgroundTime
            options.onReport = { [reports] report in reports.withLock { $0.append(report) } }
            let url = try #require(URL(string: "http://127.0.0.1:1"))
            return Notilog(url: url, writeKey: "key", deviceID: "d", options: options)
        }

        func leaveForeground() {
            let name = Lifecycle.background[0]
            notifications.post(name: Notification.Name(name), object: nil)
        }

        var files: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
                $0.hasSuffix(".upload")
            }
        }
    }

    private static func away() -> TestTransport { TestTransport { _, _ in throw TestTransport.Away() } }

    @Test("What is not sent as the app leaves the foreground is handed over, a batch at a time, until nothing waits")
    func handedOver() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let notilog = try world.recorder(Self.away())
            for _ in 0..<5 { notilog.track(.sample) }
            world.leaveForeground()
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            let first = try #require(world.system.uploads.first)
            #expect(first.events.count == 3 && first.request.body.isEmpty)
            // The clock of the moment at which the system will send is not known.
            #expect(first.request.headers["Notilog-Sent-At"] == nil)
            #expect(first.request.headers["Authorization"] == "Bearer key")
            #expect(notilog.status().events == 5)
            await world.system.end(.taken(3))
            try await eventually("the rest was not handed over") { world.system.uploads.first?.events.count == 2 }
            #expect(notilog.status().events == 2 && world.files.count == 1)
            await world.system.end(.taken(2))
            try await eventually("the queue is not empty") { notilog.status().events == 0 }
            #expect(world.files.isEmpty)
        }
    }

    @Test(
        "What a service does not answer is left to the system: after some seconds, or as the time ends",
        arguments: [false, true]
    )
    func silent(isExpired: Bool) async throws {
        try await withFolder { folder in
            let granted = Granted()
            let world = World(folder: folder, backgroundTime: granted)
            let stuck = Guarded<[CheckedContinuation<Void, Never>]>([])
            // Not even a cancellation ends it.
            let transport = TestTransport { number, _ in
                if number == 0 {
                    await withCheckedContinuation { continuation in stuck.withLock { $0.append(continuation) } }
                }
                throw TestTransport.Away()
            }
            let notilog = try world.recorder(transport)
            notilog.track(.sample)
            world.leaveForeground()
            try await eventually("nothing was sent") { transport.count == 1 && world.clock.waits.contains(8) }
            #expect(world.system.uploads.isEmpty)
            if isExpired { granted.expire() } else { world.clock.advance(8) }
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            #expect(notilog.status().events == 1)
            for continuation in stuck.withLock({ $0 }) { continuation.resume() }
        }
    }

    @Test("One upload is under way at a time, whatever happens meanwhile")
    func oneAtATime() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let handover = try #require(try world.recorder(Self.away()).handover)
            let notilog = try world.recorder(Self.away())
            for _ in 0..<200 { notilog.track(.sample) }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await handover.begin(notBefore: nil) } }
            }
            #expect(world.system.uploads.count == 1 && world.files.count == 1)
        }
    }

    @Test("What an extension has handed over is left alone, until the system has given it up")
    func twoOwners() async throws {
        try await withFolder { folder in
            let (app, other) = (World(folder: folder), World(folder: folder))
            let notilog = try app.recorder(Self.away())
            notilog.track(.sample)
            let handover = Handover(
                await notilog.uploader.settings,
                storage: notilog.storage,
                uploads: other.system,
                folder: folder,
                owner: Handover.processOwner + ".extension",
                report: { _ in }
            )
            await handover.begin(notBefore: nil)
            let upload = try #require(other.system.uploads.first)
            app.leaveForeground()
            try await eventually("nothing was handed over") { app.system.uploads.count == 1 }
            #expect(app.files.count == 2 && upload.events.count == 1)
            // Nor does the extension touch what is the app's.
            other.system.cancel()
            await handover.begin(notBefore: nil)
            #expect(app.system.uploads.first?.events.count == 1 && app.files.count == 2)
            let last = try #require(other.system.uploads.first?.file.path)
            let old = Date().addingTimeInterval(-Handover.lifetime - 60)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: last)
            await notilog.handover?.begin(notBefore: nil)
            #expect(!FileManager.default.fileExists(atPath: last) && app.files.count == 1)
        }
    }

    @Test("An upload of an earlier process ends in the next one")
    func nextProcess() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            do {
                let notilog = try world.recorder(Self.away())
                notilog.track(.sample)
                world.leaveForeground()
                try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            }
            let next = try world.recorder(Self.away())
            await world.system.end(.taken(1))
            try await eventually("the queue is not empty") { next.status().events == 0 }
            #expect(world.files.isEmpty)
        }
    }

    @Test("An answer to events that the uploader has sent meanwhile takes no others out of the queue")
    func overtaken() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let isAway = Guarded(true)
            let transport = TestTransport { _, request in
                if isAway.withLock({ $0 }) { throw TestTransport.Away() }
                return .taken(request.events.count)
            }
            let notilog = try world.recorder(transport)
            notilog.track(.sample)
            world.leaveForeground()
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            isAway.withLock { $0 = false }
            #expect(await notilog.flush() == .sent)
            isAway.withLock { $0 = true }
            notilog.track(.sample)
            await world.system.end(.taken(1))
            #expect(notilog.status().events == 1)
        }
    }

    @Test(
        "Without an answer that says that they are stored, events stay",
        arguments: [nil, 200, 401, 422, 503] as [Int?]
    )
    func unanswered(status: Int?) async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let notilog = try world.recorder(Self.away())
            notilog.track(.sample)
            world.leaveForeground()
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            await world.system.end(status.map { Notilog.IncomingAnswer(status: $0) })
            #expect(notilog.status().events == 1 && world.files.isEmpty)
            let isBarred = world.reports.withLock { $0.contains(.barred(status: 401, code: nil)) }
            #expect(isBarred == (status == 401))
        }
    }

    @Test("What the service rejects is reported by its id")
    func rejected() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let notilog = try world.recorder(Self.away())
            let id = try #require(notilog.track(.sample).id)
            world.leaveForeground()
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            let body = """
                {"accepted":0,"duplicate":0,"rejected":1,"results":[{"index":0,"status":"rejected",\
                "error":{"code":"invalid_value","message":"m"}}]}
                """
            await world.system.end(Notilog.IncomingAnswer(status: 422, body: Data(body.utf8)))
            #expect(notilog.status().events == 0)
            let report = Notilog.Report.rejected(id: id, status: 422, code: "invalid_value", message: "m")
            #expect(world.reports.withLock { $0.contains(report) })
        }
    }

    @Test("A service that asked for time is not asked before")
    func retryAfter() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let notilog = try world.recorder(
                TestTransport { _, _ in Notilog.IncomingAnswer(status: 503, headers: ["Retry-After": "120"]) }
            )
            notilog.track(.sample)
            world.leaveForeground()
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            let date = try #require(world.system.uploads.first?.date)
            #expect(date.timeIntervalSince(world.clock.now) >= 120)
        }
    }

    @Test("Without consent, uploads are given up and their files deleted")
    func refused() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let notilog = try world.recorder(Self.away())
            notilog.track(.sample)
            world.leaveForeground()
            try await eventually("nothing was handed over") { world.system.uploads.count == 1 }
            notilog.setConsent(false)
            #expect(world.system.uploads.isEmpty && world.files.isEmpty)
        }
    }

    @Test("Consent that is withdrawn while events are handed over leaves none of them with the system")
    func refusedMeanwhile() async throws {
        try await withFolder { folder in
            let world = World(folder: folder)
            let notilog = try world.recorder(Self.away())
            notilog.track(.sample)
            world.system.state.withLock { state in
                state.beforeBegin = { [weak notilog] in notilog?.setConsent(false) }
            }
            await notilog.handover?.begin(notBefore: nil)
            #expect(!notilog.isRecording)
            #expect(world.system.uploads.isEmpty && world.files.isEmpty)
        }
    }
}
