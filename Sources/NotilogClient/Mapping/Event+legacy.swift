public import Foundation
import NotificationEvents

/// The callbacks of iOS 7 to 9, for apps that still have them.
extension Notilog.Event {
    /// A push was received or tapped: which of them, `appState` tells. In any state but inactive, where the person
    /// tapped it, the service records a delivery by background wake.
    ///
    /// - Parameters:
    ///   - notification: the push.
    ///   - callback: the callback.
    ///   - actionIdentifier: of `handleActionWithIdentifier`; `nil` for the notification itself.
    ///   - text: of `UIUserNotificationActionResponseTypedTextKey`.
    ///   - appState: what the app was doing.
    ///   - sendsText: whether what was typed is sent, beside its length.
    ///   - date: when.
    public static func legacy(
        _ notification: Notilog.Delivered,
        by callback: Notilog.Callback,
        actionIdentifier: String? = nil,
        text: String? = nil,
        appState: Notilog.AppState?,
        sendsText: Bool = false,
        at date: Date
    ) -> Self {
        response(
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
