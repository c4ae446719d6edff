import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Projections
import Schema

/// A device with an event of every kind, and all that is personal about it.
struct ErasureSubject {
    let device: String
    let token: String
    let notification: String
    let request: String
    let order: String
    let activity: String

    init(_ name: String) {
        device = "device-\(name)"
        token = String(hexadecimal: name.utf8).padding(toLength: 64, withPad: "5e", startingAt: 0)
        notification = "notification-\(name)"
        request = "request-\(name)"
        order = "order-\(name)"
        activity = "activity-\(name)"
    }

    /// What may be found nowhere once it is erased. The token's digest is known to the database.
    var needles: [String] {
        [
            device, notification, request, order, activity, "private words of", "conversation-\(device)", "iPhone99,9",
            apnsID,
        ]
    }

    let apnsID = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    /// Events of a device, as a provider's key may send them.
    func events(at: Int = 600) -> [String] {
        let context =
            #""context":{"platform":"ios","app_version":"4.1","locale":"de-DE","time_zone":"Europe/Berlin","device_model":"iPhone99,9"}"#
        let personal = #""thread_id":"conversation-\#(device)","attributes":{"note":"private words of \#(device)"}"#
        let about =
            #""device_id":"\#(device)","notification_id":"\#(notification)","request_identifier":"\#(request)","category_id":"news",\#(personal),\#(context)"#
        func event(_ kind: String, _ seconds: Int, _ fields: String) -> String {
            #"{"kind":"\#(kind)","occurred_at":"\#(Sample.time(at - seconds))",\#(fields)}"#
        }
        return [
            event("settings", 0, #""device_id":"\#(device)","authorization_status":"authorized",\#(context)"#),
            event("token", 1, #""device_id":"\#(device)","token":"\#(token)","topic":"com.example.app""#),
            event(
                "request",
                2,
                about
                    + #","origin":"provider","mutable_content":true,"push":{"apns_id":"\#(apnsID)","push_type":"alert","token":"\#(token)"}"#
            ),
            event("delivery", 3, about + #","source":"service_extension","extension":{"outcome":"modified"}"#),
            event("presentation", 4, about + #","surface":"foreground","options":["banner"]"#),
            event("action_response", 5, about + #","action_id":"reply","text":"private words of the person""#),
            event("dismissal", 6, about),
            event("removal", 7, about + #","reason":"gone","state":"delivered""#),
            event("authorization_request", 8, #""device_id":"\#(device)","options":["alert"],"granted":true"#),
            event("open_settings", 9, #""device_id":"\#(device)""#),
            event(
                "category_registration",
                10,
                #""device_id":"\#(device)",\#(context),"categories":[{"id":"news","options":["custom_dismiss_action"],"actions":[{"id":"reply","title":"Reply","type":"text_input"}]}]"#
            ),
            event(
                "push_result",
                11,
                #""token":"\#(token)","notification_id":"\#(notification)","apns_id":"\#(apnsID)","status":200"#
            ),
            event("app_open", 12, #""device_id":"\#(device)","notification_id":"\#(notification)","source":"scene""#),
            event(
                "conversion",
                13,
                #""device_id":"\#(device)","name":"purchase","value":1,"currency":"EUR","order_id":"\#(order)""#
            ),
            event("holdout", 14, #""device_id":"\#(device)","campaign_id":"spring""#),
            event("permission_prompt", 15, #""device_id":"\#(device)","placement":"onboarding","answer":"later""#),
            event(
                "live_activity",
                16,
                #""device_id":"\#(device)","activity_id":"\#(activity)","attributes_type":"Ride","state":"started""#
            ),
        ]
    }

    /// Items that are rejected, and so stand in quarantine.
    var rejected: [String] {
        [
            #"{"kind":"action_response","device_id":"\#(device)","notification_id":"\#(notification)","action_id":"a","occurred_at":"yesterday"}"#,
            #"{"kind":"push_result","token":"\#(token)","status":9999,"occurred_at":"\#(Sample.time(3))"}"#,
            #"{"kind":"delivery","notification_id":"\#(notification)","source":"will_present","occurred_at":"\#(Sample.time(3))"}"#,
        ]
    }
}

extension ServiceFixture {
    /// Waits until the projections have seen everything that is stored now.
    func caughtUp() async throws -> Bool {
        let last = try await number("SELECT max(position) FROM log.event")
        let leaders = try ProjectionCatalogue(folder: try ReleaseFolder.locate()).groups.map { "'\($0.leader)'" }
        return try await eventually(
            """
            SELECT count(*) FROM unnest(ARRAY[\(leaders.joined(separator: ", "))]) AS l (name)
            LEFT JOIN projection.checkpoint c USING (name) WHERE coalesce(c.position, 0) < \(last)
            """,
            is: 0
        )
    }

    /// Erases a device as an operator's system would: 202 says that it goes on, and it is asked for until it is done.
    ///
    /// - Parameter other: another connection than the fixture's, for what runs side by side.
    func erase(
        _ device: String,
        app: TestApp? = nil,
        through other: ServiceClient? = nil
    ) async throws -> ErasureReply {
        let end = ContinuousClock.now + .seconds(180)
        while true {
            let answer = try await (other ?? client).get(
                "/v1/devices/\(device)",
                key: (app ?? self.app).admin,
                method: "DELETE"
            )
            if answer.status == 200 { return try answer.decoded() }
            guard answer.status == 202, ContinuousClock.now < end else {
                throw ServiceProcess.Failure(description: String(decoding: answer.body, as: UTF8.self))
            }
        }
    }

    /// Every row of every projection, without what keeps books, as one text.
    func projections() async throws -> String {
        let connection = try await database.connect()
        let tables = try await connection.query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'projection' AND tablename NOT IN "
                + "('checkpoint', 'version', 'version_lane', 'holding', 'set_aside', 'push_result_place', 'kept_snapshot') "
                + "ORDER BY 1"
        )
        var text = ""
        for row in tables {
            let table: String = try row.get(0)
            let rows = try await connection.query(
                "SELECT coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '') FROM projection.\"\(table)\" t",
                cached: false
            )
            text += "\(table)\n" + (try rows.only().get(0, as: String.self)) + "\n"
        }
        await connection.close()
        return text
    }

    /// Every count of the reports: nothing in it names a device.
    func reports() async throws -> String {
        var text = ""
        for report in ["engagement", "actions", "settings", "tokens"] {
            let answer = try await client.get("/v1/reports/\(report)?format=csv", key: app.read)
            text += "\(report) \(answer.status)\n" + String(decoding: answer.body, as: UTF8.self)
        }
        return text
    }
}

/// The answer to `DELETE /v1/devices/{id}`.
struct ErasureReply: Decodable {
    var position: Int64
    var events: Int64
}
