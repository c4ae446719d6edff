public import EventLog
public import JSON
public import NotificationEvents
public import Postgres

/// What became of one notification and why, link by link.
public struct NotificationVerdict: Sendable {
    /// A link of the chain.
    public struct Link: Sendable {
        /// requested, provider, token, settings, delivery, presentation or response.
        public var name: String
        /// yes, no, unknown or not_applicable.
        public var verdict: String
        /// A stable code; what follows a colon comes from the event.
        public var reason: String
        /// The reason in words.
        public var sentence: String
        /// When it was decided.
        public var at: Timestamp?
        /// Positions of events, and periods, as JSON.
        public var evidence: String
    }

    /// The firing of a repeating request.
    var occurrence: Timestamp?
    /// In their order; none if the projections know no such notification, or no such firing of it.
    public var links: [Link]
    /// The positions of its events that the links leave out, as the projections have not applied them: the first twenty.
    public var notApplied: [Position]

    /// The first link that says no, else the last that says yes; nil where all are unknown.
    public var decisive: Link? {
        links.first { $0.verdict == "no" } ?? links.last { $0.verdict == "yes" }
    }

    /// ``decisive``, such as `settings_no`.
    public var outcome: String? {
        decisive.map { "\($0.name)_\($0.verdict)" }
    }

    /// Reads the verdict on a notification; nil where the app has no event of it, or no such firing of it.
    ///
    /// - Parameters:
    ///   - device: the id, as the log has it.
    ///   - notification: the id, as the log has it.
    ///   - occurrence: which firing of a repeating request; nil for the newest.
    /// - Throws: `PostgresError`.
    public static func read(
        app: AppID,
        device: String,
        notification: String,
        occurrence: Timestamp? = nil,
        _ pool: Pool
    ) async throws -> NotificationVerdict? {
        // First what is left: what is applied meanwhile is in the links too, and nothing is in neither.
        let left = try await pool.query(
            "SELECT log.given(p) FROM unnest(notilog.events_not_applied($1, $2, $3)) AS p",
            [.app(app), .text(device), .text(notification)]
        )
        let rows = try await pool.query(
            """
            SELECT occurrence, link, verdict, reason, notilog.verdict_sentence(link, verdict, reason), at, evidence::text
            FROM notilog.verdict($1, $2, $3, $4)
            """,
            [.app(app), .text(device), .text(notification), .timestamptz(occurrence?.microseconds)]
        )
        var verdict = NotificationVerdict(links: [], notApplied: try left.map { try $0.get(0) })
        for row in rows {
            verdict.occurrence = try row.get(0)
            verdict.links.append(
                Link(
                    name: try row.get(1),
                    verdict: try row.get(2),
                    reason: try row.get(3),
                    sentence: try row.get(4),
                    at: try row.get(5),
                    evidence: try row.get(6)
                )
            )
        }
        return verdict.links.isEmpty && verdict.notApplied.isEmpty ? nil : verdict
    }

    /// As `GET /v1/notifications/{device}/{id}/verdict` answers it, as JSON.
    ///
    /// - Parameters: the ids, as clients send them.
    public func json(deviceID: String, notificationID: String) -> [UInt8] {
        var json = JSONWriter(capacity: 2048)
        write(to: &json, deviceID: deviceID, notificationID: notificationID)
        return json.bytes
    }

    /// Writes it as the API answers it.
    ///
    /// - Parameters: the ids, as clients send them.
    public func write(to json: inout JSONWriter, deviceID: String, notificationID: String) {
        json.object {
            $0.field("device_id", deviceID)
            $0.field("notification_id", notificationID)
            if let occurrence { $0.field("occurrence", occurrence) }
            $0.field("outcome", outcome)
            if !notApplied.isEmpty {
                $0.name("not_applied")
                $0.array { json in for position in notApplied { json.integer(position.rawValue) } }
            }
            $0.name("links")
            $0.array { json in
                for link in links { link.write(to: &json) }
            }
        }
    }
}

extension NotificationVerdict.Link {
    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            $0.field("link", name)
            $0.field("verdict", verdict)
            $0.field("reason", reason)
            $0.field("sentence", sentence)
            $0.field("at", at)
            $0.field("evidence", json: evidence)
        }
    }
}
