internal import EventLog
public import NotificationEvents
internal import Postgres

extension Devices {
    /// The verdict on a notification; nil where the app has no event of it, or no such firing of it.
    ///
    /// - Parameter occurrence: which firing of a repeating request; nil for the newest.
    /// - Throws: as ``show(_:app:)``.
    public func verdict(_ device: String, _ notification: String, occurrence: Timestamp?, app name: String) async throws
        -> NotificationVerdict?
    {
        let app = try await Administration(pool).app(name)
        let (device, notification) = (try await stored(device, app), try await stored(notification, app))
        return try await Cells.read(pool).withPool(ofDevice: device, pool) { pool in
            try await NotificationVerdict.read(
                app: app.id,
                device: device,
                notification: notification,
                occurrence: occurrence,
                pool
            )
        }
    }
}
