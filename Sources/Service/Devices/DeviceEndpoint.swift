internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import NotificationEvents
internal import Postgres

/// `GET /v1/devices/{id}`: settings, tokens, reachability, as the projections have them. `DELETE` erases the device.
struct DeviceEndpoint: Sendable {
    let pool: Pool
    let erasure: Erasure

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
                    let report = try await erasure.erase(deviceID, app: grant.appID)
                    var json = JSONWriter(capacity: 64)
                    json.object {
                        $0.field("position", report.position)
                        $0.field("events", report.events)
                    }
                    return .json(json)
                }
            ),
        ]
    }
}
