import Foundation

/// Hears when the app leaves the foreground, or comes back.
///
/// The names are the values of the constants of UIKit, WatchKit and AppKit: the client links none of them, so that every
/// extension can use it.
final class Lifecycle: @unchecked Sendable {
    static let background = [
        "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
        "WKApplicationDidEnterBackgroundNotification", "NSApplicationDidResignActiveNotification",
    ]
    static let foreground = [
        "UIApplicationDidBecomeActiveNotification", "NSExtensionHostDidBecomeActiveNotification",
        "WKApplicationDidBecomeActiveNotification", "NSApplicationDidBecomeActiveNotification",
    ]

    private let center: NotificationCenter
    private let observers: [any NSObjectProtocol]

    init(
        _ center: NotificationCenter,
        onBackground: @escaping @Sendable () -> Void,
        onForeground: @escaping @Sendable () -> Void
    ) {
        func observe(_ names: [String], _ body: @escaping @Sendable () -> Void) -> [any NSObjectProtocol] {
            names.map { name in
                center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                    body()
                }
            }
        }
        self.center = center
        observers = observe(Self.background, onBackground) + observe(Self.foreground, onForeground)
    }

    deinit {
        for observer in observers { center.removeObserver(observer) }
    }
}
