import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Testing

/// Law 1 with erasures: whatever is erased between which batches, a rebuild gives the rows that live projection has, and no
/// rollup changes.
///
/// `NOTILOG_ERASURE_LAW_CASES` sets how many cases run of each focus.
@Suite("Erasure: law 1")
struct ErasureLawTests {
    private static let cases =
        ProcessInfo.processInfo.environment["NOTILOG_ERASURE_LAW_CASES"].flatMap(Int.init) ?? 12

    private struct Step {
        var app: AppID
        var first: [NormalisedEvent]
        var second: [NormalisedEvent]
        var device: String
    }

    @Test("live equals rebuilt, and the rollups stand, whatever is erased", arguments: RandomEvents.Focus.allCases)
    func liveEqualsRebuilt(focus: RandomEvents.Focus) async throws {
        let decoder = EventDecoder()
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        var random = LawRandom(seed: 4_711 + number)
        var steps: [Step] = []
        for index in 0..<Self.cases {
            let one = try LawCase(seed: 31_000_000 &* (number + 1) &+ UInt64(index), focus: focus, decoder: decoder)
            let events = one.events.map(\.stored).shuffled(using: &random)
            let devices = Set(events.map(\.deviceID)).subtracting([""]).sorted()
            guard let device = devices.randomElement(using: &random) else { continue }
            let cut = Int.random(in: 0...events.count, using: &random)
            steps.append(
                Step(
                    app: AppID(rawValue: Int32(index + 1)),
                    first: Array(events[..<cut]),
                    // What comes of the device after its erasure is refused, and so is no part of the set.
                    second: events[cut...].filter { $0.deviceID != device },
                    device: device
                )
            )
        }
        let ready = steps
        let limit: Int64 = random.one(of: [40, 200, 100_000])
        // Beyond so many events most of a device is changed before batches are stopped.
        let early = random.one(of: [2, 10_000])
        let lanes: Int16 = random.one(of: [1, 2, 4])
        try await LawStore.withStore { store in
            try await store.connection.nameOwnDimensions(apps: Self.cases)
            try await store.setLanes(lanes)
            // So that walks are under way, and bounds passed, as devices are erased.
            try await store.set("notilog.slice_rows", to: 5)
            try await store.set("notilog.device_rows", to: 2)
            try await store.set("notilog.token_events", to: 4)
            try await store.set("notilog.device_events", to: 1)
            try await store.set("notilog.erasure_events", to: early)
            try await store.append(ready.map { ($0.app, $0.first) })
            // Some of it is projected under the device's own id, some under its surrogate.
            try await store.apply(limit: limit)
            let before = try await store.rows(of: .engagement)
            let latencies = try await store.rows(of: .engagementLatency)
            let erasure = Erasure(store.database.configuration)
            for step in ready { _ = try await erasure.erase(step.device, app: step.app) }
            try await store.apply(limit: limit)
            #expect(Self.same(try await store.rows(of: .engagement), before, ties: focus))
            #expect(Self.same(try await store.rows(of: .engagementLatency), latencies, ties: focus))

            // What a provider says of a token that was the device's alone is refused with it.
            try await store.append(ready.map { ($0.app, $0.second) }, mayBeErased: true)
            try await store.apply(limit: limit)
            let live = try await Self.everything(store)
            try await store.forget()
            try await store.apply(limit: 100_000)
            Self.expectSame(live, try await Self.everything(store), "\(focus.rawValue)")
            for step in ready {
                let left = try await store.connection.query(
                    "SELECT count(*) FROM log.event WHERE app_id = $1 AND device_id = $2",
                    [.app(step.app), .text(step.device)]
                ).only().get(0, as: Int64.self)
                #expect(left == 0)
            }
        }
    }

    @Test("what the id of an erased device decided is decided again, by its surrogate, live as in a rebuild")
    func ties() async throws {
        func registration(_ device: String, options: LawValue) -> LawEvent {
            Self.event(
                "category_registration",
                device,
                ["categories": [["id": "news", "options": options]], "context": ["app_version": "1"]]
            )
        }
        // A surrogate comes after both, so that what `a` lost to `b` it wins once it is erased.
        let events = try Self.stored([
            registration("a", options: ["custom_dismiss_action"]), registration("b", options: []),
            Self.event("token", "a", ["state": "registered"], token: Self.token),
            Self.event("token", "b", ["state": "registered"], token: Self.token),
        ])
        try await LawStore.withStore { store in
            try await store.append([(1, events)])
            try await store.apply(limit: 100_000)
            _ = try await Erasure(store.database.configuration).erase("a", app: 1)
            try await store.apply(limit: 100_000)
            let live = try await Self.everything(store)
            #expect(live[.category]?[1]?.first?["custom_dismiss"] == "true")
            #expect(live[.deviceToken]?[1]?.first { $0["device_id"] == "b" }?["state"] == "moved")
            try await store.forget()
            try await store.apply(limit: 100_000)
            Self.expectSame(live, try await Self.everything(store), "ties")
        }
    }

    @Test("so is whether a push accepted came after the one that was misdirected, whose events are held no more")
    func acceptedAtOneInstant() async throws {
        func answer(_ device: String, _ status: Int64, _ reason: LawValue?) -> LawEvent {
            var event = Self.event("push_result", device, ["status": .integer(status)], token: Self.token)
            event.fields["reason"] = reason
            return event
        }
        // By its surrogate's id the push to `a` comes after the one to `b`, and the one to `z` before the one to `y`.
        for (accepted, misdirected, before, after) in [
            ("a", "b", "misdirected", "active"), ("z", "y", "active", "misdirected"),
        ] {
            var registration = Self.event("token", misdirected, ["state": "registered"], token: Self.token)
            registration.occurredAt -= 1_000_000
            let events = try Self.stored([
                registration, answer(misdirected, 400, "BadDeviceToken"), answer(accepted, 200, nil),
            ])
            try await LawStore.withStore { store in
                func state() async throws -> String? {
                    try await store.rows(of: .deviceToken)[1]?.first { $0["device_id"] == misdirected }?["state"]
                }
                try await store.append([(1, events)])
                try await store.apply(limit: 100_000)
                #expect(try await state() == before)
                // As retention does with the month it is in.
                try await store.connection.query("DELETE FROM log.event WHERE device_id = $1", [.text(misdirected)])
                _ = try await Erasure(store.database.configuration).erase(accepted, app: 1)
                try await store.apply(limit: 100_000)
                #expect(try await state() == after)
            }
        }
    }

    private static let token = String(repeating: "0a", count: 32)

    /// An event of the one instant that those of a test share.
    private static func event(
        _ kind: String,
        _ device: String,
        _ fields: [String: LawValue],
        token: String? = nil
    ) -> LawEvent {
        var event = LawEvent(
            kind: kind,
            id: EventID(high: UInt64(device.utf8.count), low: UInt64(kind.utf8.count)),
            device: device,
            occurredAt: RandomEvents.start
        )
        event.fields = fields
        event.token = token
        return event
    }

    private static func stored(_ events: [LawEvent]) throws -> [NormalisedEvent] {
        let decoder = EventDecoder()
        var random = SystemRandomNumberGenerator()
        return try events.map { try decode($0.wire(using: &random), decoder) }
    }

    private static func decode(_ json: String, _ decoder: EventDecoder) throws -> NormalisedEvent {
        let items = try decoder.decode(
            Array(json.utf8),
            format: .json,
            policy: DecodingPolicy(scope: .provider),
            receivedAt: Timestamp(microseconds: RandomEvents.start + 86_400_000_000)
        ).map(\.item)
        guard case .accepted(let event, _)? = items.first else { throw LawError("not taken: \(json)") }
        return event
    }

    /// Between two devices of one instant the ids decide which registration of a category counts, and a surrogate is another
    /// id: only there may a count change.
    private static func same(
        _ after: [AppID: [LawRow]],
        _ before: [AppID: [LawRow]],
        ties focus: RandomEvents.Focus
    ) -> Bool {
        let apps = Set(after.keys).union(before.keys)
        let different = apps.filter { Set(after[$0] ?? []) != Set(before[$0] ?? []) }
        return focus == .categories || focus == .everything ? different.count * 4 <= apps.count : different.isEmpty
    }

    /// Whatever order the rows are in.
    private static func expectSame(
        _ live: [LawTable: [AppID: [LawRow]]],
        _ rebuilt: [LawTable: [AppID: [LawRow]]],
        _ events: String
    ) {
        for table in LawTable.allCases {
            for app in Set((live[table] ?? [:]).keys).union((rebuilt[table] ?? [:]).keys).sorted() {
                let difference = LawComparison.difference(
                    in: table,
                    live[table]?[app] ?? [],
                    rebuilt[table]?[app] ?? [],
                    names: ("live", "rebuilt")
                )
                if let difference { Issue.record("app \(app) of \(events): \(difference)") }
            }
        }
    }

    private static func everything(_ store: LawStore) async throws -> [LawTable: [AppID: [LawRow]]] {
        var all: [LawTable: [AppID: [LawRow]]] = [:]
        for table in LawTable.allCases { all[table] = try await store.rows(of: table) }
        return all
    }
}
