internal import Administration
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Postgres

/// `GET /v1/devices/{id}/events` and `GET /v1/notifications/{device}/{id}`.
struct TimelineEndpoint: Sendable {
    let pools: Pools

    /// The limit of a page unless said otherwise, and the highest.
    private static let limits = (usual: 100, highest: 1000)

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
        let query = try Query(request)
        try query.expect(only: ["cursor", "limit"])
        let cursor = try Self.cursor(query.last("cursor"))
        let limit = try Self.limit(query.last("limit"))
        var ids: [(device: String, notification: String?)] = []
        for device in try grant.storedIDs(deviceID) {
            guard let notificationID else {
                ids.append((device, nil))
                continue
            }
            for notification in try grant.storedIDs(notificationID) { ids.append((device, notification)) }
        }
        guard let (page, cell) = try await page(of: ids, grant.appID, after: cursor, limit: limit) else {
            throw Problem.logWentBack
        }
        guard !page.events.isEmpty || cursor != nil else {
            throw Problem.notFound(
                notificationID == nil
                    ? "the app has no event of this device" : "the app has no event of this notification"
            )
        }
        var json = JSONWriter(capacity: 512 * page.events.count)
        json.object {
            $0.name("events")
            $0.array { json in
                for event in page.events { event.write(to: &json, event.position.given(by: cell, of: pools.cells)) }
            }
            $0.field("next_cursor", page.next?.text)
        }
        return .json(json)
    }

    /// The first page with events, of the cells that have the ids; and the cell's number.
    ///
    /// - Returns: nil if no cell's log is that of the cursor.
    private func page(
        of ids: [(device: String, notification: String?)],
        _ app: AppID,
        after cursor: TimelineCursor?,
        limit: Int
    ) async throws -> (Timeline.Page, cell: Int16)? {
        var first: (Timeline.Page, cell: Int16)?
        for cell in pools.cells.all {
            let own = ids.filter { pools.cells.cell(ofDevice: $0.device).number == cell.number }
            guard !own.isEmpty else { continue }
            let found = try await Timeline(app: app, ids: own).page(after: cursor, limit: limit, pools.ofCell(cell))
            guard let found else { continue }
            if !found.events.isEmpty { return (found, cell.number) }
            first = first ?? (found, cell.number)
        }
        return first
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
        guard let text else { return limits.usual }
        guard let limit = Int(text), (1...limits.highest).contains(limit) else {
            throw .badParameter("limit is a whole number from 1 to \(limits.highest)")
        }
        return limit
    }
}

extension Timeline.Event {
    /// - Parameter position: as clients are given it.
    fileprivate func write(to json: inout JSONWriter, _ position: Position) {
        json.object {
            $0.field("position", position.rawValue)
            $0.field("id", id.description)
            $0.field("kind", kind)
            if let notificationID { $0.field("notification_id", notificationID) }
            if let occurrence { $0.field("occurrence", occurrence) }
            $0.field("occurred_at", occurredAt)
            $0.field("utc_offset_minutes", utcOffsetMinutes)
            $0.field("effective_at", effectiveAt)
            if let sentAt { $0.field("sent_at", sentAt) }
            $0.field("received_at", receivedAt)
            if timeClamped { $0.field("time_clamped", true) }
            $0.field("data", json: data)
        }
    }
}
