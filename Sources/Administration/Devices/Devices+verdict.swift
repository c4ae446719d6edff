internal import Postgres

extension Devices {
    /// The verdict on a notification; nil where the app has no such notification.
    ///
    /// - Throws: as ``show(_:app:)``.
    public func verdict(_ device: String, _ notification: String, app name: String) async throws -> NotificationVerdict?
    {
        let app = try await Administration(pool).app(name)
        return try await NotificationVerdict.read(
            app: app.id,
            device: try stored(device, app),
            notification: try stored(notification, app),
            pool
        )
    }
}
