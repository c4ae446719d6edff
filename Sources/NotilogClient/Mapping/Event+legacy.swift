public import Foundation
import NotificationEvents

/// The callbacks of iOS 7 to 9, for apps that still use them.
extension Notilog.Event {
    /// A push was received or tapped. iOS has one callback for both. It counts as a tap if the app was inactive or not
    /// running and the push was alerting, and otherwise as a delivery by a background wake. A local notification was
    /// only delivered if the app was active.
    ///
    /// - Parameters:
    ///   - notification: the notification.
    ///   - callback: the callback; `nil` for `didReceiveLocalNotification`.
    ///   - actionIdentifier: the identifier from `handleActionWithIdentifier`; `nil` for the notification itself.
    ///   - text: the value for `UIUserNotificationActionResponseTypedTextKey`.
    ///   - appState: the state of the app.
    ///   - sendsText: whether the typed text is sent in addition to its length.
    ///   - date: when it happened.
    public static func legacy(
        _ notification: Notilog.Delivered,
        by callback: Notilog.Callback?,
        actionIdentifier: String? = nil,
        text: String? = nil,
        appState: Notilog.AppState?,
        sendsText: Bool = false,
        at date: Date
    ) -> Self {
        if callback == nil, appState == .active { return delivery(notification, source: .willPresent, at: date) }
        let isResponse =
            switch callback {
            case .didReceiveRemoteNotification: notification.request.content.isAlerting && appState == .inactive
            case .didFinishLaunching: notification.request.content.isAlerting && appState != .background
            default: true
            }
        guard isResponse else { return delivery(notification, source: .backgroundWake, at: date) }
        return response(
            Notilog.Response(
                notification,
                actionIdentifier: actionIdentifier ?? ActionIdentifier.systemDefault,
                text: text
            ),
            by: callback,
            appState: appState,
            sendsText: sendsText,
            at: date
        )
    }
}
