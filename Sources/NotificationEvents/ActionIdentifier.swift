/// Action identifiers that the system defines (Apple: UNNotificationResponse, `actionIdentifier`).
public enum ActionIdentifier {
    /// `UNNotificationDefaultActionIdentifier`: the person opened the app from the notification. Stored as ``opened``.
    public static let systemDefault = "com.apple.UNNotificationDefaultActionIdentifier"
    /// `UNNotificationDismissActionIdentifier`: the person dismissed it. Recorded as a `dismissal`.
    public static let systemDismiss = "com.apple.UNNotificationDismissActionIdentifier"
    /// The stored form of ``systemDefault``.
    public static let opened = "default"
}
