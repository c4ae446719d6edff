internal import Administration
internal import EventLog
internal import Hummingbird
internal import JSON
internal import Postgres

/// `GET /v1/notifications/{device}/{id}/verdict`.
struct VerdictEndpoint: Sendable {
    let pools: Pools

    var routes: [Route] {
        [
            .reading("/v1/notifications/{device}/{id}/verdict") { request, context, grant in
                let query = try Query(request)
                try query.expect(only: ["occurrence"])
                let occurrence = try query.time("occurrence")
                let device = try context.pathParameter("device")
                let notification = try context.pathParameter("id")
                for storedDevice in try grant.storedIDs(device) {
                    for storedNotification in try grant.storedIDs(notification) {
                        let verdict = try await NotificationVerdict.read(
                            app: grant.appID,
                            device: storedDevice,
                            notification: storedNotification,
                            occurrence: occurrence,
                            pools.ofDevice(storedDevice)
                        )
                        guard let verdict else { continue }
                        var json = JSONWriter(capacity: 2048)
                        verdict.write(to: &json, deviceID: device, notificationID: notification)
                        return .json(json)
                    }
                }
                throw Problem.notFound("the app has no event of this notification, or no such firing of it")
            }
        ]
    }
}
