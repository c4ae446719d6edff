import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Testing

/// The verdict on a notification is what an independent model makes of its events, in whatever order they came; counted, verdicts
/// are what `funnel` and `reachability` say.
@Suite("Reports: the verdict of one notification")
struct VerdictTests {
    private static let casesOfEachFocus = 8

    /// A link's verdicts by notification, as the model has them or as SQL does.
    private typealias Verdicts = [LawRow: [String]]

    @Test(
        "every link says what the model says; losses, counted, are the funnel's, and classes those of reachability",
        arguments: RandomEvents.Focus.allCases
    )
    func agreement(focus: RandomEvents.Focus) async throws {
        let decoder = EventDecoder()
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        let cases = try (0..<Self.casesOfEachFocus).map { index in
            try LawCase(seed: 20_261_123 &+ number &* 1_000_000_007 &+ UInt64(index), focus: focus, decoder: decoder)
        }
        try await LawStore.withStore { store in
            try await store.connection.query(
                "INSERT INTO notilog.app (name) SELECT 'app' || n FROM generate_series(1, $1::int8) AS n ORDER BY n",
                [.int8(Int64(cases.count))]
            )
            for step in 0..<(cases.map { $0.deliveries[2].batches.count }.max() ?? 0) {
                try await store.append(
                    cases.enumerated().compactMap { index, one in
                        let batches = one.deliveries[2].batches
                        guard step < batches.count else { return nil }
                        return (AppID(rawValue: Int32(index + 1)), batches[step].map { one.events[$0].stored })
                    }
                )
                try await store.apply(limit: 100)
            }
            for (index, one) in cases.enumerated() {
                let app = Int32(index + 1)
                let model = LawModel(one.events.map(\.sent))
                let found = try await Self.verdicts(app, store.connection)
                let problem = Self.difference(found, model)
                #expect(problem == nil, "case \(one.seed) of \(focus.rawValue): \(problem ?? "")")
                let lost = Self.losses(found, model)
                let counted = try await Self.funnel(app, store.connection)
                #expect(lost == counted, "case \(one.seed) of \(focus.rawValue)")
                let (classes, contradiction) = Self.classes(found, model)
                #expect(contradiction == nil, "case \(one.seed) of \(focus.rawValue): \(contradiction ?? "")")
                let reachable = try await Self.reachability(app, store.connection)
                #expect(classes == reachable, "case \(one.seed) of \(focus.rawValue)")
                if problem != nil || lost != counted || contradiction != nil || classes != reachable { return }
            }
        }
    }

    private static func verdicts(_ app: Int32, _ connection: Connection) async throws -> Verdicts {
        let rows = try await connection.query(
            """
            SELECT n.device_id, n.notification_id,
              CASE n.occurrence WHEN '-infinity' THEN '-infinity'
                ELSE (extract(epoch FROM n.occurrence) * 1000000)::bigint::text END,
              v.verdict || ' ' || v.reason
            FROM projection.notification n
            CROSS JOIN LATERAL notilog.verdict(n.app_id, n.device_id, n.notification_id, n.occurrence) WITH ORDINALITY v
            WHERE n.app_id = $1 AND n.cohort_at IS NOT NULL
            ORDER BY n.device_id, n.notification_id, n.occurrence, v.ordinality
            """,
            [.int4(app)],
            cached: false
        )
        var result: Verdicts = [:]
        for row in rows {
            var key: LawRow = ["device_id": try row.get(0), "notification_id": try row.get(1)]
            key["occurrence"] = try row.get(2, as: String.self)
            result[key, default: []].append(try row.get(3))
        }
        return result
    }

    private static func difference(_ found: Verdicts, _ model: LawModel) -> String? {
        let tokens = LawTokens(model.events)
        let notifications = model.notifications.filter { $0.cohortAt != nil }
        for one in notifications {
            let expected = LawVerdict(one: one, tokens: tokens).links
            if found[one.keyRow] != expected {
                return "\(one.keyRow)\nSQL   \(found[one.keyRow] ?? [])\nmodel \(expected)"
            }
        }
        return found.count == notifications.count ? nil : "\(found.count) verdicts, not \(notifications.count)"
    }

    /// What the requested notifications were lost by, as their verdicts have it.
    ///
    /// The funnel counts what was sent to an ended token as reached, as long as no provider refused it. A response does not make
    /// it count as reached what was denied, or what the system refused, as in `engagement`.
    private static func losses(_ found: Verdicts, _ model: LawModel) -> [String: Int64] {
        var losses: [String: Int64] = [:]
        for one in model.notifications where one.cohortAt != nil && !one.requests.isEmpty {
            var reasons = (found[one.keyRow] ?? []).filter { $0.hasPrefix("no ") }.map { String($0.dropFirst(3)) }
            if reasons.first == "token_ended" { reasons.removeFirst() }
            var reason = reasons.first
            if reason == "denied_since" { reason = "permission_denied" }
            if !one.isAlerting, !one.failed {
                reason =
                    one.withdrawn
                    ? "withdrawn" : one.suppressed ? "suppressed" : one.silent ? "silent" : "not_alerting"
            } else if one.isAlerting, one.responded || one.dismissed, !one.reached, !one.reachUnknown {
                reason = one.requested ? "permission_denied" : "add_error"
            }
            if let reason { losses[reason, default: 0] += 1 }
        }
        return losses
    }

    /// The notifications by class, and one whose links say another class than the settings and tokens of its device.
    private static func classes(_ found: Verdicts, _ model: LawModel) -> ([String: Int64], String?) {
        let tokens = LawTokens(model.events)
        var classes: [String: Int64] = [:]
        for one in model.notifications where one.cohortAt != nil && one.requested && one.isAlerting {
            let name = LawReach(one, tokens).rawValue
            classes[name, default: 0] += 1
            let links = found[one.keyRow] ?? []
            if let said = said(links, ofPush: one.isPush), !said.contains(name) {
                return (classes, "\(one.keyRow) is \(name), and its links say \(said): \(links)")
            }
        }
        return (classes, nil)
    }

    /// The classes that the links of a notification allow; nil where what came later proves that it was let through, whatever
    /// the settings said.
    private static func said(_ links: [String], ofPush isPush: Bool) -> [String]? {
        guard links.count == 7 else { return [] }
        let reasons = links.map { String($0[$0.index(after: $0.firstIndex(of: " ") ?? $0.startIndex)...]) }
        let (token, settings) = (reasons[2], reasons[3])
        let byArea: String
        switch settings {
        case "proven_later": return nil
        case "denied_since", "not_determined", "withdrawn": return ["none"]
        case "everything_off": byArea = "none"
        case "no_settings", "settings_absent": byArea = "unknown"
        case "scheduled_summary": byArea = "summary_only"
        default: byArea = settings
        }
        switch token {
        case _ where !isPush: return [byArea]
        case "token_superseded": return ["dead_token"]
        // What a provider refused as dead need not have been ended before; a delivery proves the token, whatever was said.
        case "token_ended": return links[1].hasPrefix("no ") ? ["dead_token", byArea] : ["dead_token"]
        case "delivered", "proven_later": return ["dead_token", byArea]
        default: return [byArea]
        }
    }

    private static func reachability(_ app: Int32, _ connection: Connection) async throws -> [String: Int64] {
        let rows = try await connection.query(
            """
            SELECT class, sum(notifications)::bigint
            FROM report.reachability('app' || $1::int4, "from" => '2025-01-01', "to" => '2027-01-01', as_of => '2027-01-01')
            GROUP BY 1
            """,
            [.int4(app)],
            cached: false
        )
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.get(0), try $0.get(1)) })
    }

    private static func funnel(_ app: Int32, _ connection: Connection) async throws -> [String: Int64] {
        let rows = try await connection.query(
            """
            SELECT replace(l.key, ': ', ':'), sum(l.value::bigint)::bigint
            FROM report.funnel('app' || $1::int4, "from" => '2025-01-01', "to" => '2027-01-01', as_of => '2027-01-01') f,
              jsonb_each_text(f.lost_by) l
            WHERE l.key NOT IN ('immature', 'no_response')
            GROUP BY 1
            """,
            [.int4(app)],
            cached: false
        )
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.get(0), try $0.get(1)) })
    }
}
