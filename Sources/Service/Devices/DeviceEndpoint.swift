internal import Administration
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Pacing
internal import Postgres

/// `GET /v1/devices/{id}`: settings, tokens, reachability, as the projections have them. `DELETE` erases the device.
struct DeviceEndpoint: Sendable {
    let pool: Pool
    let erasure: Erasure
    /// Each takes a session of its own for as long as it waits for batches and exports that read the device: one an app.
    private let erasures = Turns<AppID>(limit: 4)
    private let waiting = Slots(limit: 256, appLimit: 64)

    init(pool: Pool, erasure: Erasure) {
        self.pool = pool
        self.erasure = erasure
    }

    var routes: [Route] {
        [
            .reading("/v1/devices/{id}") { _, context, grant in
                let deviceID = try context.pathParameter("id")
                var device: DeviceState?
                for stored in try grant.storedIDs(deviceID) where device == nil {
                    device = try await DeviceState.read(app: grant.appID, device: stored, pool)
                }
                guard let device else { throw Problem.notFound("the app has no event of this device") }
                var json = JSONWriter(capacity: 1024)
                device.write(to: &json, deviceID: deviceID)
                return .json(json)
            },
            Route(
                method: .delete,
                template: "/v1/devices/{id}",
                handler: .keyed([.admin]) { _, context, grant in
                    let deviceID = try grant.storedID(try context.pathParameter("id"))
                    guard (1...128).contains(deviceID.utf8.count) else {
                        throw Problem.badParameter("a device id has 1 to 128 bytes")
                    }
                    let slot = try waiting.take(grant.appID)
                    defer { withExtendedLifetime(slot) {} }
                    let report = try await erasures.take(grant.appID) { [erasure] in
                        try await erasure.erase(deviceID, app: grant.appID)
                    }
                    var json = JSONWriter(capacity: 64)
                    json.object {
                        $0.field("position", report.position.rawValue)
                        $0.field("events", report.events)
                    }
                    return .json(json)
                }
            ),
        ]
    }
}
