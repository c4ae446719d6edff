#if canImport(UserNotifications) && !os(tvOS)
    import Foundation
    import UserNotifications

    extension Notilog {
        /// The callback of iOS 9 and before that a delegate of the notification center replaces.
        public struct LegacyCallback: @unchecked Sendable {
            /// Whether it concerns a push (`didReceiveRemoteNotification`) or a local notification
            /// (`didReceiveLocalNotification`).
            public let isRemote: Bool
            /// The notification's `userInfo`, as the callback received it.
            public let userInfo: [AnyHashable: Any]
            /// The request's identifier, which those callbacks did not have.
            public let requestIdentifier: String
            /// The button (`handleActionWithIdentifier`); `nil` for the notification itself.
            public let actionIdentifier: String?
            /// What the person typed (`UIUserNotificationActionResponseTypedTextKey`).
            public let text: String?
            /// Whether the app was in the foreground when it arrived. If not, the person tapped it.
            public let isForeground: Bool

            /// Creates a callback for a notification that arrived in the foreground.
            init(_ notification: UNNotification) {
                self.init(notification.request, actionIdentifier: nil, text: nil, isForeground: true)
            }

            /// Creates a callback for a response. A dismissal had no callback.
            init?(_ response: UNNotificationResponse) {
                guard response.actionIdentifier != UNNotificationDismissActionIdentifier else { return nil }
                let isDefault = response.actionIdentifier == UNNotificationDefaultActionIdentifier
                self.init(
                    response.notification.request,
                    actionIdentifier: isDefault ? nil : response.actionIdentifier,
                    text: (response as? UNTextInputNotificationResponse)?.userText,
                    isForeground: false
                )
            }

            private init(
                _ request: UNNotificationRequest,
                actionIdentifier: String?,
                text: String?,
                isForeground: Bool
            ) {
                isRemote = request.trigger is UNPushNotificationTrigger
                userInfo = request.content.userInfo
                requestIdentifier = request.identifier
                self.actionIdentifier = actionIdentifier
                self.text = text
                self.isForeground = isForeground
            }
        }
    }
#endif
