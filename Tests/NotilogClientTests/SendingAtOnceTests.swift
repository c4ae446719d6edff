import Foundation
import Testing

@testable import NotilogClient

/// What is sent without waiting for the app to be opened again.
@Suite("Sending at once")
struct SendingAtOnceTests {
    /// A network that a test switches.
    final class Switch: Notilog.Connectivity {
        private let listeners = Guarded<[@Sendable (Notilog.Network) -> Void]>([])

        func observe(_ onChange: @escaping @Sendable (Notilog.Network) -> Void) {
            listeners.withLock { $0.append(onChange) }
        }

        func turn(_ network: Notilog.Network) {
            for listener in listeners.withLock({ $0 }) { listener(network) }
        }

        /// A change of the network that a task of a priority hears of. What the listeners begin has that priority too.
        func turn(_ network: Notilog.Network, _ priority: TaskPriority) async {
            await withCheckedContinuation { continuation in
                Task.detached(priority: priority) {
                    self.turn(network)
                    continuation.resume()
                }
            }
        }
    }

    /// Grants time, and says for what.
    final class Granted: Notilog.BackgroundTime {
        let reasons = Guarded<[String]>([])

        func run(_ reason: String, _ work: @escaping @Sendable () async -> Void) {
            reasons.withLock { $0.append(reason) }
            Task { await work() }
        }
    }

    private struct World {
        let notilog: Notilog
        let transport: TestTransport
        let clock: TestClock
        let network: Switch
        let granted: Granted
        let notifications: NotificationCenter
    }

    private func run(
        _ answer: @escaping @Sendable (Int, Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer = {
            .taken($1.events.count)
        },
        _ body: (World) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let (clock, transport, network, granted) = (TestClock(), TestTransport(answer), Switch(), Granted())
            var options = Notilog.Options()
            options.folder = folder
            options.limits.durability = .processEnd
            options.transport = transport
            options.clock = clock
            options.connectivity = network
            options.backgroundTime = granted
            options.notifications = NotificationCenter()
            options.random = { 0.5 }
            options.context = { .sample }
            let url = try #require(URL(string: "http://127.0.0.1:1"))
            let notilog = Notilog(url: url, writeKey: "key", deviceID: "d", options: options)
            try await body(
                World(
                    notilog: notilog,
                    transport: transport,
                    clock: clock,
                    network: network,
                    granted: granted,
                    notifications: options.notifications
                )
            )
        }
    }

    private func response(_ number: Int = 0) -> Notilog.Response {
        var content = Notilog.Content()
        content.mark = Notilog.Mark(id: "n-\(number)")
        let request = Notilog.Request(identifier: "r", content: content, trigger: Notilog.Trigger(.push))
        return Notilog.Response(Notilog.Delivered(request, date: nil), actionIdentifier: "like")
    }

    @Test("A response goes at once, in time that the system is asked for; other events wait for company")
    func response() async throws {
        try await run { world in
            world.notilog.track(.sample)
            try await eventually("no wait was begun") { world.clock.current == [2] }
            #expect(world.transport.count == 0)
            world.notilog.record(response())
            try await eventually("the response was not sent") { world.notilog.status().events == 0 }
            let kinds = world.transport.requests.withLock { $0.flatMap(\.events).compactMap { $0["kind"] as? String } }
            #expect(kinds == ["open_settings", "action_response"])
            #expect(world.granted.reasons.withLock { $0.count } == 1)
        }
    }

    static let wakes: [(String, @Sendable (Notilog) -> Void)] = [
        (
            "delivery",
            { notilog in
                notilog.record(
                    remoteNotification: ["aps": ["content-available": 1], "notilog": ["id": "n"]],
                    appState: .background
                )
            }
        ), ("live_activity", { $0.record(Notilog.LiveActivity(id: "a", state: .updated)) }),
        ("token", { $0.record(token: Data([1]), for: .widgets, topic: nil) }),
        ("token", { $0.record(deviceToken: Data([1]), topic: nil) }),
    ]

    @Test(
        "What a wake in the background records goes at once: the process may be suspended",
        arguments: 0..<wakes.count
    )
    func wake(number: Int) async throws {
        try await run { world in
            let (kind, record) = Self.wakes[number]
            record(world.notilog)
            try await eventually("it was not sent") { world.notilog.status().events == 0 }
            let kinds = world.transport.requests.withLock { $0.flatMap(\.events).compactMap { $0["kind"] as? String } }
            #expect(kinds == [kind] && world.granted.reasons.withLock { $0.count } == 1)
        }
    }

    @Test("A notification that the app sees in the foreground waits for company")
    func foreground() async throws {
        try await run { world in
            world.notilog.record(response().notification, source: .willPresent)
            try await eventually("no wait was begun") { world.clock.current == [2] }
            #expect(world.transport.count == 0 && world.granted.reasons.withLock { $0.isEmpty })
        }
    }

    @Test("Many responses at once make few requests, and lose none")
    func burst() async throws {
        try await run { world in
            for number in 0..<200 { world.notilog.record(response(number)) }
            try await eventually("they were not sent") { world.notilog.status().events == 0 }
            let ids = world.transport.requests.withLock {
                $0.flatMap(\.events).compactMap { $0["notification_id"] as? String }
            }
            #expect(Set(ids).count == 200 && ids.count == 200)
        }
    }

    @Test("Entering the background sends what waits", arguments: Lifecycle.background)
    func background(name: String) async throws {
        try await run { world in
            world.notilog.track(.sample)
            world.notifications.post(name: Notification.Name(name), object: nil)
            try await eventually("it was not sent") { world.notilog.status().events == 0 }
            #expect(world.granted.reasons.withLock { $0.count } >= 1)
        }
    }

    @Test("After a failure even a response waits for the end of the backoff")
    func backoff() async throws {
        try await run({ number, request in
            number == 0 ? Notilog.IncomingAnswer(status: 503) : .taken(request.events.count)
        }) { world in
            world.notilog.record(response())
            try await eventually("no wait was begun") { world.clock.waits.contains(0.5) }
            world.notilog.record(response(1))
            guard case .waiting = await world.notilog.flush(within: 60) else {
                Issue.record("it did not wait")
                return
            }
            #expect(world.transport.count == 1)
            world.clock.advance(1)
            try await eventually("it did not come back") { world.notilog.status().events == 0 }
            #expect(world.transport.count == 2)
        }
    }

    @Test("Without a network events wait for it; with it they go, those of other devices at other times")
    func offline() async throws {
        try await run { world in
            world.network.turn(.offline)
            let uploader = world.notilog.uploader
            try await eventually("the network was not heard") { await uploader.network == .offline }
            world.notilog.track(.sample)
            try await eventually("no wait was begun") { world.clock.current == [600] }
            world.clock.advance(3)
            world.network.turn(.open)
            try await eventually("no wait was begun") { world.clock.current == [0.5] }
            #expect(world.transport.count == 0)
            world.clock.advance(1)
            try await eventually("it was not sent") { world.notilog.status().events == 0 }
        }
    }

    @Test("Of changes of the network that come at once, the last one holds")
    func lastNetwork() async throws {
        try await run { world in
            let uploader = world.notilog.uploader
            for round in 1...300 {
                let last: Notilog.Network = round.isMultiple(of: 2) ? .lowData : .offline
                // What is heard of with less priority may be told later.
                for network in [Notilog.Network.offline, .open, .lowData, .open] {
                    await world.network.turn(network, .background)
                }
                await world.network.turn(last, .high)
                try await eventually("round \(round): the last network was not heard") {
                    await uploader.network == last
                }
                guard await uploader.network == last else { return }
            }
        }
    }

    @Test("In Low Data Mode events share requests, and a response still goes at once")
    func lowData() async throws {
        try await run { world in
            world.network.turn(.lowData)
            let uploader = world.notilog.uploader
            try await eventually("the network was not heard") { await uploader.network == .lowData }
            world.notilog.track(.sample)
            try await eventually("no wait was begun") { world.clock.current == [900] }
            world.clock.advance(3)
            #expect(world.transport.count == 0)
            world.notilog.record(response())
            try await eventually("the response was not sent") { world.notilog.status().events == 0 }
        }
    }

    @Test("A flush within a time returns by then, whatever the transport does, and keeps the events")
    func within() async throws {
        let stuck = Guarded<[CheckedContinuation<Void, Never>]>([])
        try await run({ _, request in
            // Not even a cancellation ends it.
            await withCheckedContinuation { continuation in stuck.withLock { $0.append(continuation) } }
            return .taken(request.events.count)
        }) { world in
            world.notilog.track(.sample)
            async let result = world.notilog.flush(within: 2)
            try await eventually("nothing was sent") { world.transport.count == 1 && world.clock.waits.contains(2) }
            world.clock.advance(2)
            #expect(await result == .stopped)
            #expect(world.notilog.status().events == 1)
            stuck.withLock { stuck in
                for continuation in stuck { continuation.resume() }
                stuck = []
            }
        }
    }
}
