internal import Administration
internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import JSON
internal import Postgres

/// `GET /v1/devices/{id}/events` and `GET /v1/notifications/{device}/{id}`.
struct TimelineEndpoint: Sendable {
    let pool: Pool

    var routes: [Route] {
        [
            .reading("/v1/devices/{id}/events") { request, context, grant in
                try await page(request, grant, deviceID: try context.pathParameter("id"), notificationID: nil)
            },
            .reading("/v1/notifications/{device}/{id}") { request, context, grant in
                let notificationID = try context.pathParameter("id")
                return try await page(
                    request,
                    grant,
                    deviceID: try context.pathParameter("device"),
                    notificationID: notificationID
                )
            },
        ]
    }

    private func page(
        _ request: Request,
        _ grant: Grant,
        deviceID: String,
        notificationID: String?
    ) async throws -> Response {
        let query = Query(request)
        try query.expect(only: ["cursor", "limit"])
        var timeline = TimelineQuery(
            appID: grant.appID,
            deviceID: deviceID,
            notificationID: notificationID,
            after: try Self.cursor(query.last("cursor")),
            limit: try Self.limit(query.last("limit"))
        )
        // First, as the log may be set back at any moment.
        let incarnation = try await timeline.incarnation(pool)
        var events: [TimelineEvent] = []
        var ids: [(device: String, notification: String?)] = []
        for device in try grant.storedIDs(deviceID) {
            guard let notificationID else {
                ids.append((device, nil))
                continue
            }
            for notification in try grant.storedIDs(notificationID) { ids.append((device, notification)) }
        }
        for id in ids where events.isEmpty {
            (timeline.deviceID, timeline.notificationID) = (id.device, id.notification)
            events = try await timeline.read(pool)
        }
        guard !events.isEmpty || query.last("cursor") != nil else {
            throw Problem.notFound(
                notificationID == nil
                    ? "the app has no event of this device" : "the app has no event of this notification"
            )
        }
        let hasMore = events.count > timeline.limit
        if hasMore { events.removeLast() }
        let next = hasMore ? timeline.cursor(after: events, of: incarnation)?.text : nil
        var json = JSONWriter(capacity: 512 * events.count)
        json.object {
            $0.name("events")
            $0.array { json in
                for event in events { event.write(to: &json) }
            }
            $0.field("next_cursor", next)
        }
        return .json(json)
    }

    static func cursor(_ text: String?) throws(Problem) -> TimelineCursor? {
        guard let text else { return nil }
        guard let cursor = TimelineCursor(text) else {
            throw .badParameter(
                "the cursor is not one of this service: take next_cursor of the page before, or leave it out"
            )
        }
        return cursor
    }

    static func limit(_ text: String?) throws(Problem) -> Int {
        guard let text else { return TimelineQuery.limits.usual }
        guard let limit = Int(text), (1...TimelineQuery.limits.highest).contains(limit) else {
            throw .badParameter("limit is a whole number from 1 to \(TimelineQuery.limits.highest)")
        }
        return limit
    }
}

extension Grant {
    /// An id as the log has it.
    ///
    /// - Throws: ``Problem`` 503 where the app's ids are hashed and the service has no secret to hash with.
    func storedID(_ id: String) throws(Problem) -> String {
        switch ids {
        case .clear: id
        case .hashed(let key): key.hash(id)
        case .unavailable: throw .noHashSecret
        }
    }

    /// What an id to be read about may be in the log: hashed as senders' ids are, or, where that gives nothing, as answers
    /// gave it, which know no other.
    ///
    /// - Throws: as ``storedID(_:)``.
    func storedIDs(_ id: String) throws(Problem) -> [String] {
        let stored = try storedID(id)
        return stored == id ? [id] : [stored, id]
    }
}

extension Problem {
    /// 503: the app's ids are hashed with a secret that the service does not have.
    static var noHashSecret: Problem {
        Problem(
            .serviceUnavailable,
            "id_hash_secret",
            "the app keeps hashed ids only, and the service has no secret for them: set NOTILOG_ID_HASH_SECRET"
        ).retry(after: 60)
    }
}

extension Response {
    static func json(_ json: JSONWriter) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes))
        )
    }
}
