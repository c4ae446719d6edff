public import Foundation

/// Recording from plain values. Where `UserNotifications` can be imported, each has a twin that takes Apple's own type.
extension Notilog {
    /// Records that a request was made, once `add` has answered.
    ///
    /// - Parameter error: what `add` failed with.
    @discardableResult
    public func record(_ request: Request, error: (any Error)? = nil) -> Receipt {
        let now = options.clock.now
        var events = [Event.request(request, error: error, at: now)]
        if error == nil {
            let replaced = withIndex { $0.add(request, at: now) }
            if let replaced { events.append(.removal(replaced, reason: .replaced, isPending: true, at: now)) }
        }
        return track(events)[0]
    }

    /// Records that a notification reached the device.
    @discardableResult
    public func record(_ notification: Delivered, source: DeliverySource, outcome: ExtensionOutcome? = nil) -> Receipt {
        track(.delivery(notification, source: source, outcome: outcome, at: options.clock.now))
    }

    /// Records what the app answered to `willPresent`.
    ///
    /// - Parameter options: `UNNotificationPresentationOptions`, raw.
    @discardableResult
    public func record(_ notification: Delivered, presentedWith options: UInt) -> Receipt {
        track(.presentation(notification, options: options, at: self.options.clock.now))
    }

    /// Records that the person responded.
    @discardableResult
    public func record(
        _ response: Response,
        by callback: Callback = .didReceiveResponse,
        appState: AppState? = nil
    ) -> Receipt {
        let now = options.clock.now
        var response = response
        response.notification = taps.withLock { $0.identified(response.notification, at: now) }
        let notification = response.notification
        withIndex { $0.settle(notification) }
        return track(
            .response(response, by: callback, appState: appState, sendsText: options.sendsReplyText, at: now)
        )
    }

    /// Records the settings as they are now.
    @discardableResult
    public func record(_ settings: Settings) -> Receipt {
        track(.settings(settings, at: options.clock.now))
    }

    /// Records the categories that the app registers.
    @discardableResult
    public func record(_ categories: [Category]) -> Receipt {
        track(.categories(categories, at: options.clock.now))
    }

    /// Records what the person answered when the app asked for permission.
    ///
    /// - Parameter authorizationOptions: `UNAuthorizationOptions`, raw.
    @discardableResult
    public func record(authorizationOptions: UInt, granted: Bool, error: (any Error)?) -> Receipt {
        track(.authorization(options: authorizationOptions, granted: granted, error: error, at: options.clock.now))
    }

    /// Records that the person opened the app's notification settings from the system's (`openSettingsFor`).
    @discardableResult
    public func recordOpenSettings() -> Receipt {
        track(.openSettings(at: options.clock.now))
    }

    /// Records a device token, in `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// - Parameters:
    ///   - deviceToken: as it came. The service keeps its digest alone.
    ///   - topic: the APNs topic; the app's bundle identifier unless given.
    ///   - isSandbox: whether it is a token of APNs' sandbox, which builds signed for development get.
    @discardableResult
    public func record(deviceToken: Data, topic: String? = Bundle.main.bundleIdentifier, isSandbox: Bool = false)
        -> Receipt
    {
        track(.token(deviceToken, topic: topic, isSandbox: isSandbox, at: options.clock.now))
    }

    /// Records that there is no token, in `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    @discardableResult
    public func record(
        tokenFailure error: any Error,
        topic: String? = Bundle.main.bundleIdentifier,
        isSandbox: Bool = false
    ) -> Receipt {
        track(.tokenFailure(error, topic: topic, isSandbox: isSandbox, at: options.clock.now))
    }

    /// Records that the app takes back requests that have not fired.
    ///
    /// - Parameter identifiers: which; `nil` for all.
    @discardableResult
    public func recordRemoval(pending identifiers: [String]?) -> [Receipt] {
        let now = options.clock.now
        let taken = withIndex { $0.takePending(identifiers, at: now) }
        return track(taken.map { .removal($0, reason: .removedByApp, isPending: true, at: now) })
    }

    /// Records that the app takes back notifications from the delivered list.
    ///
    /// - Parameter identifiers: which; `nil` for all.
    @discardableResult
    public func recordRemoval(delivered identifiers: [String]?) -> [Receipt] {
        let now = options.clock.now
        let taken = withIndex { $0.takeDelivered(identifiers) }
        return track(taken.map { .removal($0, reason: .removedByApp, isPending: false, at: now) })
    }

    /// Records what came into the delivered list since it was last looked at, and what left it.
    @discardableResult
    public func recordSweep(_ delivered: [Delivered]) -> [Receipt] {
        let now = options.clock.now
        let sweep = withIndex { index in
            let sweep = DeliveredSweep(before: index.delivered, now: delivered)
            index.delivered = sweep.known
            return sweep
        }
        return track(sweep.events(at: now))
    }

    /// Changes the index of notifications, and keeps it.
    private func withIndex<Result>(_ body: (inout NotificationIndex) -> Result) -> Result {
        indexLock.withLock { _ in
            let data = try? storage.note(Self.indexNote)
            var index =
                data.flatMap { try? JSONDecoder().decode(NotificationIndex.self, from: $0) } ?? NotificationIndex()
            let before = index
            let result = body(&index)
            if index != before, isRecording, let data = try? JSONEncoder().encode(index) {
                try? storage.setNote(Self.indexNote, data)
            }
            return result
        }
    }

    private static let indexNote = "notifications"
}
