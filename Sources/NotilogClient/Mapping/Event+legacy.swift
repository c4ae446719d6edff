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
    ///   - hearsResponses: whether the notification center reports each tap to the client. Then a push is a delivery
    ///     here: the app is also inactive behind Control Center or a call.
    ///   - date: when it happened.
    public static func legacy(
        _ notification: Notilog.Delivered,
        by callback: Notilog.Callback?,
        actionIdentifier: String? = nil,
        text: String? = nil,
        appState: Notilog.AppState?,
        sendsText: Bool = false,
        hearsResponses: Bool = false,
        at date: Date
    ) -> Self {
        if callback == nil, appState == .active { return delivery(notification, source: .willPresent, at: date) }
        let mayBeTap = notification.request.content.isAlerting && !hearsResponses
        let isResponse =
            switch callback {
            case .didReceiveRemoteNotification: mayBeTap && appState == .inactive
            case .didFinishLaunching: mayBeTap && appState != .background
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
