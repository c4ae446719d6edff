import Folds
import Foundation
import Testing

/// What no sender of ours writes fails a fold, and never ends the process. `NOTILOG_FUZZ_EVENTS` says how many events each fold
/// takes, from a new seed.
@Suite struct FoldFuzzTests {
    private static let wanted = ProcessInfo.processInfo.environment["NOTILOG_FUZZ_EVENTS"].flatMap(Int.init)
    /// As many as one rollup adds up before it begins anew.
    private static let world = 40

    enum Fold: String, CaseIterable {
        case notification, periods, categories, pushResults, endings, outcomes, tokens, received
    }

    @Test(arguments: Fold.allCases)
    func hostileEvents(_ fold: Fold) async throws {
        let seed = Self.wanted == nil ? 7 : UInt64.random(in: 0 ... .max)
        var events = HostileEvents(random: Random(state: seed))
        var (left, failed) = (Self.wanted ?? 4_000, 0)
        while left > 0 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            var world = HostileWorld(&events)
            for _ in 0..<min(Self.world, left) {
                left -= 1
                do {
                    try world.take(fold, &events)
                } catch {
                    #expect(error is FoldError, "seed \(seed): \(error)")
                    failed += 1
                }
            }
            do { try world.end(fold) } catch { #expect(error is FoldError, "seed \(seed): \(error)") }
        }
        if [.notification, .outcomes, .pushResults].contains(fold) {
            #expect(failed > 0, "seed \(seed): every event was folded")
        }
    }
}

/// What the folds keep of some events.
private struct HostileWorld {
    private var symbols = Symbols()
    private let dimensions: [OwnDimension]
    private var stored = [Stored](repeating: Stored(), count: 3)
    private var periods = DevicePeriods()
    private var categories = Categories()
    private var engagement = EngagementRollup(latencyBounds: [1, 3, 1_000, 9_000_000_000])
    private var events = EventRollup(latencyBounds: [1, 3, 1_000, 9_000_000_000])
    private var cohort: CohortRollup
    private var outcomes = OutcomeRollup(bounds: [1, 3, 1_000])
    private var repeated = RepeatedRollup()
    private var presence = Presence()
    private var variants = VariantRollup()
    private var results = PushResults()
    private var received = Received()
    private var tokens = TokenBatch()
    private var ending = NotificationEnding()

    init(_ events: inout HostileEvents) {
        cohort = CohortRollup(symbols)
        dimensions = [OwnDimension(key: symbols.names.symbol(of: "tier"), after: 0, upTo: events.moment())]
    }

    mutating func take(_ fold: FoldFuzzTests.Fold, _ hostile: inout HostileEvents) throws {
        let (kind, id, at, bytes) = (hostile.kind(), hostile.id(), hostile.moment(), hostile.data())
        try bytes.withUnsafeBytes { data in
            switch fold {
            case .notification: try takeNotification(kind, id, at, data, &hostile)
            case .periods: try takeSnapshots(kind, id, at, data, &hostile)
            case .categories: try register(id, at, data)
            case .pushResults:
                _ = AuthorizationRequest(data, &symbols)
                if let run = data.member("extension") { _ = try Event.ExtensionRun(run, &symbols) }
                let answer = PushAnswer(data, &symbols)
                try results.add(answer, app: 1, at: at, position: hostile.moment(), symbols)
            case .endings: _ = ending.merge(kind, at: at, id: id, data: data, &symbols)
            case .outcomes:
                (_, _, _) = (
                    AppOpen(data, &symbols), PermissionPrompt(data, &symbols), LiveActivity(data, &symbols)
                )
                _ = try Holdout(data, occurredAt: hostile.moment(), at: at, &symbols)
                _ = try Conversion(data, &symbols)
            case .tokens:
                let token = TokenID(app: 1, token: symbols.names.symbol(of: ["t", "u"][Int(id.low % 2)]))
                let device = symbols.names.symbol(of: ["", "d", "e"][Int(id.low % 3)])
                let tie = Tie(at: at, device: device, id: id)
                try tokens.take(kind, of: token, tie, isKnown: id.low % 5 == 0, data: data, &symbols)
            case .received:
                let name = symbols.names.symbol(of: data)
                let position = hostile.moment()
                try received.add(name, app: 1, receivedAt: at, isClamped: id.low % 2 == 0, position: position)
            }
        }
    }

    private mutating func event(
        _ kind: Event.Kind,
        _ id: UUIDValue,
        _ at: Moment,
        _ data: UnsafeRawBufferPointer,
        _ hostile: inout HostileEvents
    ) throws -> Event {
        try Event(
            kind: kind,
            id: id,
            at: at,
            occurredAt: hostile.moment(),
            receivedAt: hostile.moment(),
            occurrence: hostile.occurrence(),
            data: data,
            dimensions: dimensions,
            position: 1,
            symbols: &symbols
        )
    }

    private mutating func takeNotification(
        _ kind: Event.Kind,
        _ id: UUIDValue,
        _ at: Moment,
        _ data: UnsafeRawBufferPointer,
        _ hostile: inout HostileEvents
    ) throws {
        let said = try event(kind, id, at, data, &hostile)
        let index = Int(id.low % 3)
        let before = stored[index].counted(periods, categories, symbols)
        var changed = stored[index]
        try changed.apply([said], &symbols)
        stored[index] = changed
        let after = stored[index].counted(periods, categories, symbols)
        try repeated.add(said, app: 1)
        try repeated.moveFirst(from: before.facts.requestReceivedAt, to: after.facts.requestReceivedAt, app: 1)
        for (counted, sign) in [(before, -1), (after, 1)] as [(Counted, Int64)] {
            if let run = said.extensionRun { try events.add(run, of: counted, app: 1, sign: sign) }
            for action in stored[index].actions.values {
                try events.add(
                    action: action.action,
                    isDismissal: false,
                    firstAt: action.firstAt,
                    presses: action.callbacks,
                    of: counted,
                    app: 1,
                    sign: sign
                )
            }
            if let removal = said.removal {
                var times = EventRollup.RemovalTimes()
                times.deliveredAt = at
                try events.add(reason: removal.reason, times, of: counted, app: 1, sign: sign)
            }
            guard counted.row.cohortAt != .none else { continue }
            let device = symbols.names.symbol(of: "device")
            try engagement.add(counted, app: 1, sign: sign)
            try cohort.add(counted, app: 1, device: device, sign: sign)
            try outcomes.add(counted, app: 1, sign: sign)
            try presence.add(counted, app: 1, device: device, sign: sign)
            try variants.add(counted, app: 1, device: device, sign: sign)
        }
    }

    private mutating func takeSnapshots(
        _ kind: Event.Kind,
        _ id: UUIDValue,
        _ at: Moment,
        _ data: UnsafeRawBufferPointer,
        _ hostile: inout HostileEvents
    ) throws {
        let said = try event(kind, id, at, data, &hostile)
        let before = periods
        let values: [(WritableKeyPath<DevicePeriods, Periods>, Symbol)] = [
            (\.context, said.context), (\.settings, said.settings),
        ]
        for (series, value) in values where value != .none {
            let snapshots = [Snapshot(at: at, id: id, value: value)]
            let inside = periods[keyPath: series].split(by: snapshots).flatMap { [$0.first, $0.last] }
            periods[keyPath: series] = periods[keyPath: series].merged(with: snapshots, inside: inside)
            _ = periods[keyPath: series].changes(from: before[keyPath: series])
        }
        _ = periods.changed(since: before)
        _ = symbols.context(periods.context(at: hostile.moment()))
        if said.settings != .none { _ = symbols.settings(said.settings) }
    }

    private mutating func register(_ id: UUIDValue, _ at: Moment, _ data: UnsafeRawBufferPointer) throws {
        let list = symbols.lists.symbol(of: data.member("categories") ?? data)
        _ = symbols.categories(list)
        let version = symbols.names.symbol(of: ["", "1"][Int(id.low % 2)])
        let origin = Categories.Origin(at: at, device: .empty, id: id)
        _ = try categories.merge(Categories.List(bytes: list, version: version), origin, &symbols)
    }

    /// Derives what is derived once for many events.
    func end(_ fold: FoldFuzzTests.Fold) throws {
        switch fold {
        case .notification:
            _ = try presence.difference([:])
            _ = try variants.difference([:])
        case .tokens:
            let history = TokenHistory(tokens.events, symbols.names)
            for key in tokens.registered { _ = history.row(key, accepted: tokens.accepted, symbols.names) }
        default: break
        }
    }
}

extension Stored {
    fileprivate func counted(
        _ periods: DevicePeriods,
        _ categories: Categories,
        _ symbols: Symbols
    ) -> Counted {
        Counted(
            facts: facts,
            row: NotificationRow(facts, isSchedule: false, of: periods, categories: categories, symbols: symbols)
        )
    }
}
