public import EventLog
internal import Foundation
internal import NotificationEvents
public import Postgres

/// The rules of alerts and what they raised, in the database.
public struct AlertStore: Sendable {
    let pool: Pool

    /// - Parameter pool: a pool whose role may execute the functions of the schema `notilog`.
    public init(_ pool: Pool) {
        self.pool = pool
    }

    private static let ruleColumns = """
        rule_id, app_name, name, report, parameters::text, metric, condition, bound, least_volume, wait_seconds, tz, receivers,
        next_day::text, ripe_at, judged_at, last_error
        """

    /// Adds a rule.
    ///
    /// - Throws: ``AlertRuleError`` if the app has a rule of that name, or too many, or there is no such time zone;
    ///   `PostgresError`.
    public func add(_ rule: WantedAlertRule, app: AppID) async throws {
        let parameters = try JSONEncoder().encode(rule.parameters)
        let added: Int64?
        do {
            added = try await pool.query(
                "SELECT notilog.add_alert_rule($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                [
                    .app(app), .text(rule.name), .text(rule.report), .jsonb([UInt8](parameters)),
                    .text(rule.condition.metric), .text(rule.condition.name), .float8(rule.condition.bound),
                    .int8(rule.leastVolume), .int8(rule.waitSeconds), .text(rule.tz), .texts(rule.receivers),
                ]
            ).only().get(0)
        } catch let error as PostgresError where error.sqlState == SQLState.invalidParameterValue {
            throw AlertRuleError("tz is an IANA time zone such as Europe/Berlin")
        }
        guard let added else {
            throw AlertRuleError(
                "the app has 100 rules, which is the limit: remove those that are of no use",
                isConflict: true
            )
        }
        guard added > 0 else {
            throw AlertRuleError("the app has a rule of that name: remove it, or choose another name", isConflict: true)
        }
    }

    /// An app's rules, by name.
    ///
    /// - Throws: `PostgresError`.
    public func rules(app: AppID) async throws -> [AlertRule] {
        try await pool.query("SELECT \(Self.ruleColumns) FROM notilog.alert_rules($1)", [.app(app)])
            .map { try AlertRule($0) }
    }

    /// Removes a rule, with its alerts.
    ///
    /// - Returns: whether the app has such a rule.
    /// - Throws: `PostgresError`.
    public func remove(_ name: String, app: AppID) async throws -> Bool {
        try await pool.query("SELECT notilog.delete_alert_rule($1, $2)", [.app(app), .text(name)]).only().get(0)
    }

    /// The newest alerts of an app.
    ///
    /// - Parameters:
    ///   - onlyOpen: whether those that are resolved are left out.
    ///   - most: how many at most.
    /// - Throws: `PostgresError`.
    public func alerts(app: AppID, onlyOpen: Bool = false, most: Int32 = 1000) async throws -> [Alert] {
        try await pool.query(
            """
            SELECT alert_id, rule, report, metric, cell::text, day::text, figures::text, position, raised_at, resolved_at
            FROM notilog.alerts($1, $2, $3)
            """,
            [.app(app), .bool(onlyOpen), .int4(most)]
        ).map { try Alert($0) }
    }

    /// Resolves an alert by hand: the new level of its cell counts as usual.
    ///
    /// - Returns: whether the app has such an open alert.
    /// - Throws: `PostgresError`.
    public func resolve(_ id: Int64, app: AppID) async throws -> Bool {
        try await pool.query("SELECT notilog.resolve_alert($1, $2)", [.app(app), .int8(id)]).only().get(0)
    }

    /// Takes rules that are due. One that a later release made, and this one cannot read, is noted and holds up no other.
    func claim(most: Int32) async throws -> [AlertRule] {
        let claimed = try await pool.query(
            "SELECT \(Self.ruleColumns) FROM notilog.claim_alert_rules($1)",
            [.int4(most)]
        )
        var rules: [AlertRule] = []
        for row in claimed {
            do {
                rules.append(try AlertRule(row))
            } catch {
                let problem = "the rule cannot be read: a later release made it"
                try await postpone(rule: try row.get(0), day: try row.get(12), problem, seconds: 900)
            }
        }
        return rules
    }

    /// When a rule judges a day; nil if its wait is over.
    func ripens(_ rule: AlertRule, day: String) async throws -> Timestamp? {
        try await pool.query(
            """
            SELECT due FROM notilog.alert_rule, notilog.alert_due($2::text::date, tz, wait) AS due
            WHERE rule_id = $1 AND due > now()
            """,
            [.int8(rule.id), .text(day)]
        ).first?.get(0, as: Timestamp.self)
    }

    /// The alerts of a rule that are open.
    func open(_ rule: AlertRule) async throws -> [Int64] {
        try await pool.query(
            "SELECT alert_id FROM notilog.alert WHERE rule_id = $1 AND resolved_at IS NULL",
            [.int8(rule.id)]
        ).map { try $0.get(0) }
    }

    /// What a rule judged in the eight weeks before a day.
    func past(_ rule: AlertRule, before day: String) async throws -> [AlertCell: [PastFigure]] {
        var past: [AlertCell: [PastFigure]] = [:]
        let rows = try await pool.query(
            """
            SELECT cell, days_before, value, volume, devices, in_time, is_out
            FROM notilog.alert_figures($1, $2::text::date)
            """,
            [.int8(rule.id), .text(day)]
        )
        for row in rows {
            let json: String = try row.get(0)
            let cell = AlertCell(try JSONDecoder().decode([String: AlertCell.Value].self, from: Data(json.utf8)))
            past[cell, default: []].append(
                PastFigure(
                    daysBefore: try row.get(1),
                    value: try row.get(2),
                    volume: try row.get(3),
                    devices: try row.get(4),
                    isUsual: try row.get(5, as: Bool.self) && !row.get(6, as: Bool.self)
                )
            )
        }
        return past
    }

    /// Writes what a rule judged of a day.
    ///
    /// - Parameter open: the alerts that were open before what is usual was read.
    /// - Returns: whether it did; not where another service was quicker.
    func finish(
        _ rule: AlertRule,
        inTime: Bool,
        position: Position,
        figures: [UInt8],
        message: [UInt8],
        open: [Int64]
    ) async throws -> Bool {
        try await pool.query(
            "SELECT notilog.finish_alert_day($1, $2::text::date, $3, $4, $5, $6, $7)",
            [
                .int8(rule.id), .text(rule.nextDay), .bool(inTime), .position(position), .jsonb(figures),
                .jsonb(message), .int8s(open),
            ]
        ).only().get(0)
    }

    /// Notes why a rule's next day cannot be judged now.
    func postpone(_ rule: AlertRule, _ problem: String, seconds: Int32) async throws {
        try await postpone(rule: rule.id, day: rule.nextDay, problem, seconds: seconds)
    }

    private func postpone(rule: Int64, day: String, _ problem: String, seconds: Int32) async throws {
        try await pool.query(
            "SELECT notilog.postpone_alert_rule($1, $2::text::date, $3, $4)",
            [.int8(rule), .text(day), .text(problem), .int4(seconds)]
        )
    }
}

extension AlertRule {
    fileprivate init(_ row: Row) throws {
        let parameters: String = try row.get(4)
        let (metric, name): (String, String) = (try row.get(5), try row.get(6))
        guard let condition = AlertCondition(metric: metric, name: name, bound: try row.get(7)) else {
            throw AlertRuleError("a rule has the condition \(name), which a later release made")
        }
        self.init(
            id: try row.get(0),
            app: try row.get(1),
            name: try row.get(2),
            report: try row.get(3),
            parameters: try JSONDecoder().decode([String: [String]].self, from: Data(parameters.utf8)),
            condition: condition,
            leastVolume: try row.get(8),
            waitSeconds: try row.get(9),
            tz: try row.get(10),
            receivers: try row.get(11),
            nextDay: try row.get(12),
            ripeAt: try row.get(13),
            judgedAt: try row.get(14),
            lastError: try row.get(15)
        )
    }
}

extension Alert {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row.get(0),
            rule: try row.get(1),
            report: try row.get(2),
            metric: try row.get(3),
            cell: try row.get(4),
            day: try row.get(5),
            figures: try row.get(6),
            position: try row.get(7),
            raisedAt: try row.get(8),
            resolvedAt: try row.get(9)
        )
    }
}
