internal import HTTPTypes
internal import Hummingbird
internal import NotificationEvents
internal import Postgres

/// `GET /v1/devices/{id}`: settings, tokens, reachability, as the projections have them.
struct DeviceEndpoint: Sendable {
    let pool: Pool

    var routes: [Route] {
        [
            .reading("/v1/devices/{id}") { _, context, grant in
                let deviceID = try context.pathParameter("id")
                let device = try await DeviceState.read(app: grant.appID, device: try grant.storedID(deviceID), pool)
                guard let device else { throw Problem.notFound("the app has no event of this device") }
                var json = JSONWriter(capacity: 1024)
                device.write(to: &json, deviceID: deviceID)
                return .json(json)
            }
        ]
    }
}
