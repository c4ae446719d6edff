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
        let (devices, notifications) = (try await stored(device, app), try await stored(notification, app))
        let cells = try await Cells.read(pool)
        for device in devices {
            for notification in notifications {
                let verdict = try await cells.withPool(ofDevice: device, pool) { pool in
                    try await NotificationVerdict.read(
                        app: app.id,
                        device: device,
                        notification: notification,
                        occurrence: occurrence,
                        pool
                    )
                }
                if let verdict { return verdict }
            }
        }
        return nil
    }
}
