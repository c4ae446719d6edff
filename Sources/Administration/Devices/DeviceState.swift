public import EventLog
public import JSON
internal import NotificationEvents
public import Postgres

/// How a device stands: its newest settings and context, its tokens, whether pushes reach it.
public struct DeviceState: Sendable {
    /// A token, without anything that could be sent to.
    struct Token: Sendable {
        var provider: String
        var type: String
        var topic: String
        var environment: String
        /// Of an `activity_update` token.
        var activityID: String?
        /// Of a `push_to_start` token.
        var attributesType: String?
        /// Of a `control` token.
        var controlKind: String?
        var state: String
        var registeredAt: Timestamp
        var lastRegisteredAt: Timestamp
        var endedAt: Timestamp?
    }

    /// The newest period of a series of snapshots.
    struct Period: Sendable {
        var value: String
        var since: Timestamp
        var lastSeenAt: Timestamp
        var firstSeenAt: Timestamp
    }

    var settings: Period?
    var authorizationStatus: String?
    var context: Period?
    var tokens: [Token]

    /// Authorized in any way, and with a live alert token; `nil` where neither is known to be
    /// false, and one of them is not known.
    var isReachable: Bool? {
        let isPermitted = authorizationStatus.map { ["authorized", "provisional", "ephemeral"].contains($0) }
        let alerts = tokens.filter { $0.type == "alert" }
        let hasToken = alerts.isEmpty ? nil : alerts.contains { $0.state == "active" }
        if isPermitted == false || hasToken == false { return false }
        return isPermitted == nil || hasToken == nil ? nil : true
    }

    /// Writes it as `GET /v1/devices/{id}` answers it.
    ///
    /// - Parameter deviceID: the id, as clients send it.
    public func write(to json: inout JSONWriter, deviceID: String) {
        json.object {
            $0.field("device_id", deviceID)
            $0.field("reachable", json: isReachable.map { $0 ? "true" : "false" })
            $0.name("settings")
            Self.write(settings, to: &$0)
            $0.name("context")
            Self.write(context, to: &$0)
            $0.name("tokens")
            $0.array { json in
                for token in tokens { token.write(to: &json) }
            }
        }
    }

    private static func write(_ period: Period?, to json: inout JSONWriter) {
        guard let period else { return json.null() }
        json.object {
            $0.field("value", json: period.value)
            $0.field("since", period.since)
            $0.field("last_seen_at", period.lastSeenAt)
            $0.field("first_seen_at", period.firstSeenAt)
        }
    }
}

extension DeviceState.Token {
    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("provider", provider)
            $0.field("type", type)
            $0.field("topic", topic.isEmpty ? nil : topic)
            $0.field("environment", environment)
            $0.field("activity_id", activityID)
            $0.field("attributes_type", attributesType)
            $0.field("control_kind", controlKind)
            $0.field("state", state)
            $0.field("registered_at", registeredAt)
            $0.field("last_registered_at", lastRegisteredAt)
            $0.field("ended_at", endedAt)
        }
    }
}

extension DeviceState {
    /// Reads a device; `nil` where the app never heard of it.
    ///
    /// - Parameter device: the id, as the log has it.
    /// - Throws: `PostgresError`.
    public static func read(app: AppID, device: String, _ pool: Pool) async throws -> DeviceState? {
        let parameters: [Parameter] = [.app(app), .text(device)]
        return try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
            let known = try await connection.query("SELECT notilog.knows_device($1, $2)", parameters)
            guard try known.only().get(0, as: Bool.self) else { return nil }
            let tokens = try await connection.query(
                """
                SELECT provider, type, topic, environment, activity_id, attributes_type, control_kind, state,
                  registered_at, last_registered_at, ended_at FROM notilog.device_tokens($1, $2)
                """,
                parameters
            )
            var state = DeviceState(tokens: try tokens.map { try Token($0) })
            let periods = try await connection.query(
                """
                SELECT series, value, authorization_status, first_at, last_at, since FROM notilog.device_periods($1, $2)
                """,
                parameters
            )
            for row in periods {
                let period = try Period(row)
                switch try row.get(0, as: String.self) {
                case "settings":
                    state.settings = period
                    state.authorizationStatus = try row.get(2)
                case "context": state.context = period
                default: break
                }
            }
            return state
        }
    }
}

extension DeviceState.Token {
    fileprivate init(_ row: Row) throws {
        self.init(
            provider: try row.get(0),
            type: try row.get(1),
            topic: try row.get(2),
            environment: try row.get(3),
            activityID: try row.get(4),
            attributesType: try row.get(5),
            controlKind: try row.get(6),
            state: try row.get(7),
            registeredAt: try row.get(8),
            lastRegisteredAt: try row.get(9),
            endedAt: try row.get(10)
        )
    }
}

extension DeviceState.Period {
    fileprivate init(_ row: Row) throws {
        self.init(
            value: try row.get(1),
            since: try row.get(3),
            lastSeenAt: try row.get(4),
            firstSeenAt: try row.get(5)
        )
    }
}
