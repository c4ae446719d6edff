import Foundation

/// Observes notifications of the system by their names.
///
/// The names are the values of constants in UIKit, WatchKit and AppKit. The client links none of these, so that every
/// extension can use it.
final class Lifecycle: @unchecked Sendable {
    /// The app leaves the foreground.
    static let background = [
        "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
        "WKApplicationDidEnterBackgroundNotification", "NSApplicationDidResignActiveNotification",
    ]
    /// The app is back.
    static let foreground = [
        "UIApplicationDidBecomeActiveNotification", "NSExtensionHostDidBecomeActiveNotification",
        "WKApplicationDidBecomeActiveNotification", "NSApplicationDidBecomeActiveNotification",
    ]

    private let center: NotificationCenter
    private let observers: [any NSObjectProtocol]

    init(_ center: NotificationCenter, _ names: [String], _ body: @escaping @Sendable () -> Void) {
        self.center = center
        observers = names.map { name in
            center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in body() }
        }
    }

    deinit {
        for observer in observers { center.removeObserver(observer) }
    }
}
