public import EventLog
internal import Foundation
internal import NotificationEvents
public import Postgres
public import Reports

/// The digests of apps, in the database.
public struct DigestStore: Sendable {
    let pool: Pool

    /// - Parameter pool: a pool whose role may execute the functions of the schema `notilog`.
    public init(_ pool: Pool) {
        self.pool = pool
    }

    private static let columns =
        "digest_id, app_name, view, weekday, at, receiver, due_at, report, parameters::text, made_at, last_error"

    /// Adds a digest.
    ///
    /// - Returns: its number.
    /// - Throws: ``DigestError`` if the app has no such view, no digest can be made of its report, the app has the same digest already, or
    ///   too many; `PostgresError`.
    public func add(_ wanted: WantedDigest, app: AppID, catalogue: ReportCatalogue) async throws -> Int64 {
        try await check(wanted.view, app: app, catalogue)
        let added: Int64?
        do {
            added = try await pool.query(
                "SELECT notilog.add_digest($1, $2, $3, $4, $5)",
                [
                    .app(app), .text(wanted.view), .int2(wanted.schedule.weekday), .text(wanted.schedule.at),
                    .text(wanted.receiver),
                ]
            ).only().get(0)
        } catch let error as PostgresError where error.sqlState == SQLState.invalidParameterValue {
            throw DigestError("the view's tz is not an IANA time zone such as Europe/Berlin: save it again")
        }
        switch added {
        case nil:
            throw DigestError(
                "the app has 100 digests, which is the limit: remove those that are of no use",
                isConflict: true
            )
        case 0: throw DigestError("the app has that digest already", isConflict: true)
        case -1: throw DigestError("the app has no view of that name: save it first")
        case let id?: return id
        }
    }

    /// Checks that a digest can be made of a view, if the app has it.
    private func check(_ view: String, app: AppID, _ catalogue: ReportCatalogue) async throws {
        let saved = try await pool.query("SELECT report FROM notilog.saved_views($1, $2)", [.app(app), .text(view)])
        guard let report = try saved.first?.get(0, as: String.self) else { return }
        do {
            try DigestMaker.check(try catalogue.report(report))
        } catch let error as ReportError {
            throw DigestError(error.message)
        }
    }

    /// An app's digests, by view.
    ///
    /// - Throws: `PostgresError`.
    public func digests(app: AppID) async throws -> [Digest] {
        try await pool.query("SELECT \(Self.columns) FROM notilog.digests($1)", [.app(app)]).map { try Digest($0) }
    }

    /// Removes a digest, with what is not delivered yet.
    ///
    /// - Returns: whether the app has such a digest.
    /// - Throws: `PostgresError`.
    public func remove(_ id: Int64, app: AppID) async throws -> Bool {
        try await pool.query("SELECT notilog.delete_digest($1, $2)", [.app(app), .int8(id)]).only().get(0)
    }

    /// Makes a digest due now: a service sends it within seconds.
    ///
    /// - Returns: whether the app has such a digest.
    /// - Throws: `PostgresError`.
    public func send(_ id: Int64, app: AppID) async throws -> Bool {
        try await pool.query("SELECT notilog.send_digest($1, $2)", [.app(app), .int8(id)]).only().get(0)
    }

    /// Takes digests that are due, each of another app. One whose view a later release saved, and this one cannot read, is noted and
    /// holds up no other.
    func claim(most: Int32) async throws -> [Digest] {
        let claimed = try await pool.query("SELECT \(Self.columns) FROM notilog.claim_digests($1)", [.int4(most)])
        var digests: [Digest] = []
        for row in claimed {
            do {
                digests.append(try Digest(row))
            } catch {
                let (id, dueAt): (Int64, Timestamp) = (try row.get(0), try row.get(6))
                try await postpone(id, dueAt, "the view cannot be read: a later release saved it", seconds: 900)
            }
        }
        return digests
    }

    /// What a digest covers now.
    ///
    /// - Throws: ``DigestError`` if there is no such time zone.
    func period(isWeekly: Bool, tz: String, windowSeconds: Int64) async throws -> DigestPeriod {
        do {
            let row = try await pool.query(
                """
                SELECT first_day::text, end_day::text, before_day::text, mature_to, mature_before_to, age_seconds
                FROM notilog.digest_period($1, $2, $3, now())
                """,
                [.bool(isWeekly), .text(tz), .int8(windowSeconds)]
            ).only()
            return DigestPeriod(
                isWeekly: isWeekly,
                from: try row.get(0),
                to: try row.get(1),
                before: try row.get(2),
                matureTo: try row.get(3),
                matureBeforeTo: try row.get(4),
                ageSeconds: try row.get(5)
            )
        } catch let error as PostgresError where error.sqlState == SQLState.invalidParameterValue {
            throw DigestError("the view's tz is not an IANA time zone such as Europe/Berlin: save it again")
        }
    }

    /// What was noted of an app from a day to before another, as the time zone has them: the newest so many.
    func notes(app: String, from: String, to: String, tz: String) async throws -> [DigestMessage.Chart.Note] {
        try await pool.query(
            "SELECT day::text, label FROM notilog.digest_notes($1, $2::text::date, $3::text::date, $4)",
            [.text(app), .text(from), .text(to), .text(tz)]
        ).map { DigestMessage.Chart.Note(day: try $0.get(0), label: try $0.get(1)) }
    }

    /// Writes a digest that was due.
    ///
    /// - Returns: whether it did; not where another service was quicker.
    func finish(_ digest: Digest, _ message: DigestMessage) async throws -> Bool {
        try await pool.query(
            "SELECT notilog.finish_digest($1, $2, $3::text::date, $4)",
            [
                .int8(digest.id), .timestamptz(digest.dueAt.microseconds), .text(message.from),
                .jsonb([UInt8](try JSONEncoder().encode(message))),
            ]
        ).only().get(0)
    }

    /// Notes why a digest cannot be made now.
    func postpone(_ digest: Digest, _ problem: String, seconds: Int32) async throws {
        try await postpone(digest.id, digest.dueAt, problem, seconds: seconds)
    }

    private func postpone(_ id: Int64, _ dueAt: Timestamp, _ problem: String, seconds: Int32) async throws {
        try await pool.query(
            "SELECT notilog.postpone_digest($1, $2, $3, $4)",
            [.int8(id), .timestamptz(dueAt.microseconds), .text(problem), .int4(seconds)]
        )
    }
}

extension Digest {
    fileprivate init(_ row: Row) throws {
        let parameters: String = try row.get(8)
        self.init(
            id: try row.get(0),
            app: try row.get(1),
            question: DigestQuestion(
                view: try row.get(2),
                report: try row.get(7),
                parameters: try JSONDecoder().decode([String: [String]].self, from: Data(parameters.utf8))
            ),
            schedule: DigestSchedule(weekday: try row.get(3), at: try row.get(4)),
            receiver: try row.get(5),
            dueAt: try row.get(6),
            madeAt: try row.get(9),
            lastError: try row.get(10)
        )
    }
}
