#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation
    public import UserNotifications

    /// The callbacks of iOS 7 to 9. Each `applicationState` is `UIApplication.applicationState`.
    extension NLGNotilog {
        /// Records the callbacks of the center, for an app that has only those of iOS 9 and before. iOS calls none of
        /// them once the center has a delegate.
        ///
        /// - Parameter legacy: called instead of them, with their arguments.
        public func install(
            on center: UNUserNotificationCenter,
            presentation: UNNotificationPresentationOptions,
            legacy: @escaping (NLGLegacyCallback) -> Void
        ) {
            let handler = Handed(legacy)
            recorder.install(on: center, presentation: presentation) { handler.value(NLGLegacyCallback($0)) }
        }

        /// Records a push in `application:didReceiveRemoteNotification:…`.
        public func record(remoteNotification userInfo: [AnyHashable: Any], applicationState: Int) {
            recorder.record(remoteNotification: userInfo, appState: Self.state(applicationState))
        }

        /// Records the push that started the app, in `application:didFinishLaunchingWithOptions:`.
        public func record(launchNotification userInfo: [AnyHashable: Any], applicationState: Int) {
            let isBackground = Self.state(applicationState) == .background
            recorder.record(launchNotification: userInfo, appState: isBackground ? .background : .notRunning)
        }

        /// Records a button, in `application:handleActionWithIdentifier:forRemoteNotification:…`.
        ///
        /// - Parameter text: the value of `responseInfo` for `UIUserNotificationActionResponseTypedTextKey`.
        public func record(
            actionIdentifier: String?,
            remoteNotification userInfo: [AnyHashable: Any],
            text: String?,
            applicationState: Int
        ) {
            recorder.record(
                actionIdentifier: actionIdentifier,
                remoteNotification: userInfo,
                text: text,
                appState: Self.state(applicationState)
            )
        }

        /// Records a local notification in `application:didReceiveLocalNotification:`.
        public func record(localNotification: NLGLocalNotification, applicationState: Int) {
            recorder.record(localNotification: localNotification.facts, appState: Self.state(applicationState))
        }

        /// Records the local notification that started the app, in `application:didFinishLaunchingWithOptions:`.
        public func record(launchLocalNotification: NLGLocalNotification) {
            recorder.record(launchLocalNotification: launchLocalNotification.facts)
        }

        /// Records a button of a local notification, in `application:handleActionWithIdentifier:forLocalNotification:…`.
        public func record(
            actionIdentifier: String?,
            localNotification: NLGLocalNotification,
            text: String?,
            applicationState: Int
        ) {
            recorder.record(
                actionIdentifier: actionIdentifier,
                localNotification: localNotification.facts,
                text: text,
                appState: Self.state(applicationState)
            )
        }

        private static func state(_ raw: Int) -> Notilog.AppState { Notilog.AppState(rawState: raw) ?? .background }
    }

    /// The recorded part of a `UILocalNotification`; see ``Notilog/LocalNotification``.
    #if canImport(ObjectiveC)
        @objc(NLGLocalNotification) @objcMembers
    #endif
    public final class NLGLocalNotification: NSObject {
        /// `userInfo`
        public var userInfo: [AnyHashable: Any] = [:]
        /// Whether there is an `alertBody`.
        public var hasText = true
        /// `category`
        public var category: String?
        /// `fireDate`
        public var fireDate: Date?
        /// Whether there is a `repeatInterval`.
        public var repeats = false
        /// Whether there is a `region`.
        public var hasRegion = false

        /// The same for Swift.
        var facts: Notilog.LocalNotification {
            Notilog.LocalNotification(
                userInfo: userInfo,
                hasText: hasText,
                category: category,
                fireDate: fireDate,
                repeats: repeats,
                hasRegion: hasRegion
            )
        }
    }

    /// The callback of iOS 9 and before that the app should call itself; see ``Notilog/LegacyCallback``.
    #if canImport(ObjectiveC)
        @objc(NLGLegacyCallback) @objcMembers
    #endif
    public final class NLGLegacyCallback: NSObject {
        private let callback: Notilog.LegacyCallback

        init(_ callback: Notilog.LegacyCallback) {
            self.callback = callback
        }

        /// Whether it concerns a push or a local notification.
        public var isRemote: Bool { callback.isRemote }
        /// The `userInfo` of the notification.
        public var userInfo: [AnyHashable: Any] { callback.userInfo }
        /// The request's identifier.
        public var requestIdentifier: String { callback.requestIdentifier }
        /// The button; `nil` for the notification itself.
        public var actionIdentifier: String? { callback.actionIdentifier }
        /// What the person typed.
        public var text: String? { callback.text }
        /// Whether the app was in the foreground when it arrived. If not, the person tapped it.
        public var isForeground: Bool { callback.isForeground }
    }
#endif
