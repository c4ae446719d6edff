import Foundation

/// The callbacks of iOS 7 to 9, and of apps that still use them on later versions.
extension Notilog {
    /// Records a push in `application(_:didReceiveRemoteNotification:)`, or in the variant with a
    /// `fetchCompletionHandler`.
    ///
    /// It counts as a tap only if the app is inactive and the push has an alert, sound or badge. Otherwise it counts as
    /// a delivery by a background wake. After `install` it is always a delivery, because the notification center reports
    /// the tap.
    @discardableResult
    public func record(remoteNotification userInfo: [AnyHashable: Any], appState: AppState) -> Receipt {
        recordLegacy(userInfo, by: .didReceiveRemoteNotification, appState: appState)
    }

    /// Records the push that started the app, in `application(_:didFinishLaunchingWithOptions:)`.
    ///
    /// It counts as a tap only if the push has an alert, sound or badge. A silent push woke the app, which counts as a
    /// delivery. After `install` it is always a delivery, because the notification center reports the tap.
    ///
    /// - Parameters:
    ///   - userInfo: the value of `launchOptions` for `.remoteNotification`.
    ///   - appState: pass `.background` if `applicationState` says that the app was started to fetch content. That
    ///     counts as a delivery too.
    @discardableResult
    public func record(launchNotification userInfo: [AnyHashable: Any], appState: AppState = .notRunning) -> Receipt {
        recordLegacy(userInfo, by: .didFinishLaunching, appState: appState)
    }

    /// Records a button, in `application(_:handleActionWithIdentifier:forRemoteNotification:…)`.
    ///
    /// - Parameter text: the value of `responseInfo` for `UIUserNotificationActionResponseTypedTextKey`.
    @discardableResult
    public func record(
        actionIdentifier: String?,
        remoteNotification userInfo: [AnyHashable: Any],
        text: String? = nil,
        appState: AppState? = nil
    ) -> Receipt {
        recordLegacy(userInfo, by: .handleAction, actionIdentifier: actionIdentifier, text: text, appState: appState)
    }

    /// Records a local notification in `application(_:didReceive:)` of iOS 4 to 9.
    ///
    /// It counts as a tap unless the app is active. If it is active, iOS shows nothing, and the notification was only
    /// delivered.
    @discardableResult
    public func record(localNotification: LocalNotification, appState: AppState) -> Receipt {
        recordLegacy(localNotification.delivered, by: nil, appState: appState)
    }

    /// Records the local notification that started the app, in `application(_:didFinishLaunchingWithOptions:)`.
    @discardableResult
    public func record(launchLocalNotification: LocalNotification) -> Receipt {
        recordLegacy(launchLocalNotification.delivered, by: .didFinishLaunching, appState: .notRunning)
    }

    /// Records a button of a local notification, in `application(_:handleActionWithIdentifier:for:…)`.
    ///
    /// - Parameter text: the value of `responseInfo` for `UIUserNotificationActionResponseTypedTextKey`.
    @discardableResult
    public func record(
        actionIdentifier: String?,
        localNotification: LocalNotification,
        text: String? = nil,
        appState: AppState? = nil
    ) -> Receipt {
        recordLegacy(
            localNotification.delivered,
            by: .handleAction,
            actionIdentifier: actionIdentifier,
            text: text,
            appState: appState
        )
    }

    private func recordLegacy(
        _ userInfo: [AnyHashable: Any],
        by callback: Callback,
        actionIdentifier: String? = nil,
        text: String? = nil,
        appState: AppState?
    ) -> Receipt {
        let request = Request(identifier: "", content: Content(payload: userInfo), trigger: Trigger(.push))
        return recordLegacy(
            Delivered(request, date: nil),
            by: callback,
            actionIdentifier: actionIdentifier,
            text: text,
            appState: appState,
            hearsResponses: installed.withLock { $0 != nil }
        )
    }

    private func recordLegacy(
        _ callbackNotification: Delivered,
        by callback: Callback?,
        actionIdentifier: String? = nil,
        text: String? = nil,
        appState: AppState?,
        hearsResponses: Bool = false
    ) -> Receipt {
        let now = options.clock.now
        notice(callbackNotification)
        let notification = taps.withLock { $0.identified(callbackNotification, at: now) }
        return track(
            .legacy(
                notification,
                by: callback,
                actionIdentifier: actionIdentifier,
                text: text,
                appState: appState,
                sendsText: options.sendsReplyText,
                hearsResponses: hearsResponses,
                at: now
            )
        )
    }
}
