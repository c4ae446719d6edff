public import Foundation

/// Recording from plain values. Where `UserNotifications` can be imported, each has a twin that takes Apple's own type.
extension Notilog {
    /// Records that a request was made, once `add` has answered.
    ///
    /// - Parameter error: what `add` failed with.
    @discardableResult
    public func record(_ request: Request, error: (any Error)? = nil) -> Receipt {
        defer { stamped.withLock { $0.settle(request.identifier) } }
        guard error == nil else { return track(.request(request, error: error, at: options.clock.now)) }
        return first(
            of: changeIndex { index, now in
                let replaced = index.add(request, at: now)
                return [.request(request, at: now)]
                    + (replaced.map { [.removal($0, reason: .replaced, isPending: true, at: now)] } ?? [])
            }
        )
    }

    /// Records that a notification reached the device.
    ///
    /// - Parameters:
    ///   - notification: with the known part of its content: without text, sound or badge it is not alerting.
    ///   - source: how it was seen.
    ///   - outcome: what a service extension did with it.
    @discardableResult
    public func record(_ notification: Delivered, source: DeliverySource, outcome: ExtensionOutcome? = nil) -> Receipt {
        if source == .serviceExtension { noticeExtension() } else { notice(notification) }
        return trackArrival(of: notification, isListed: true) {
            .delivery(notification, source: source, outcome: outcome, at: $0)
        }
    }

    /// Records what the app answered to `willPresent`.
    ///
    /// - Parameter options: `UNNotificationPresentationOptions`, raw.
    @discardableResult
    public func record(_ notification: Delivered, presentedWith options: UInt) -> Receipt {
        // Only an alert (of before iOS 14) and a list stay; a banner goes by itself.
        trackArrival(of: notification, isListed: options & (4 | 8) != 0) {
            .presentation(notification, options: options, at: $0)
        }
    }

    /// Records that the person responded.
    @discardableResult
    public func record(
        _ response: Response,
        by callback: Callback = .didReceiveResponse,
        appState: AppState? = nil
    ) -> Receipt {
        let now = options.clock.now
        notice(response.notification)
        var response = response
        response.notification = taps.withLock { $0.identified(response.notification, at: now) }
        let (settled, sendsText) = (response, options.sendsReplyText)
        return first(
            of: changeIndex { index, now in
                index.settle(settled.notification)
                return [.response(settled, by: callback, appState: appState, sendsText: sendsText, at: now)]
            }
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
    /// - Parameters:
    ///   - authorizationOptions: `UNAuthorizationOptions`, raw.
    ///   - granted: the answer.
    ///   - error: what the question failed with.
    ///   - statusBefore: `UNAuthorizationStatus` just before the question, raw. Without it nobody knows later whether the
    ///     person was asked, or an answer of before was given again.
    @discardableResult
    public func record(
        authorizationOptions: UInt,
        granted: Bool,
        error: (any Error)?,
        statusBefore: Int? = nil
    ) -> Receipt {
        track(
            .authorization(
                options: authorizationOptions,
                granted: granted,
                error: error,
                statusBefore: statusBefore,
                at: options.clock.now
            )
        )
    }

    /// Records that the person opened the app's notification settings from the system's (`openSettingsFor`).
    @discardableResult
    public func recordOpenSettings() -> Receipt {
        track(.openSettings(at: options.clock.now))
    }

    /// Records that the person opened the app's notification settings, with the way there.
    ///
    /// - Parameter notification: the notification that they came from; `nil` for the system's settings.
    @discardableResult
    public func recordOpenSettings(from notification: Delivered?) -> Receipt {
        track(.openSettings(from: notification, at: options.clock.now))
    }

    /// Records a device token, in `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// - Parameters:
    ///   - deviceToken: as it came. The service keeps its digest alone.
    ///   - topic: the APNs topic; the app's bundle identifier unless given.
    ///   - isSandbox: whether it is a token of APNs' sandbox; the provisioning profile says so unless given.
    @discardableResult
    public func record(deviceToken: Data, topic: String? = Bundle.main.bundleIdentifier, isSandbox: Bool? = nil)
        -> Receipt
    {
        track(
            .token(
                deviceToken,
                topic: topic,
                isSandbox: isSandbox ?? options.provisioning.isSandbox,
                at: options.clock.now
            )
        )
    }

    /// Records a token of a Live Activity, as its `pushTokenUpdates` gives them. Each activity has tokens of its own.
    ///
    /// - Parameters:
    ///   - activityToken: as it came. The service keeps its digest alone.
    ///   - activityID: the activity's `id`.
    ///   - topic: the APNs topic; that of the app's Live Activities unless given.
    ///   - isSandbox: whether it is a token of APNs' sandbox; the provisioning profile says so unless given.
    @discardableResult
    public func record(
        activityToken: Data,
        activityID: String,
        topic: String? = Bundle.main.bundleIdentifier.map { $0 + ".push-type.liveactivity" },
        isSandbox: Bool? = nil
    ) -> Receipt {
        track(
            .token(
                activityToken,
                activityID: activityID,
                topic: topic,
                isSandbox: isSandbox ?? options.provisioning.isSandbox,
                at: options.clock.now
            )
        )
    }

    /// Records that registration failed, in `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    @discardableResult
    public func record(
        tokenFailure error: any Error,
        topic: String? = Bundle.main.bundleIdentifier,
        isSandbox: Bool? = nil
    ) -> Receipt {
        track(
            .tokenFailure(
                error,
                topic: topic,
                isSandbox: isSandbox ?? options.provisioning.isSandbox,
                at: options.clock.now
            )
        )
    }

    /// Records that the app takes back requests that have not fired.
    ///
    /// - Parameter identifiers: which; `nil` for all.
    @discardableResult
    public func recordRemoval(pending identifiers: [String]?) -> [Receipt] {
        changeIndex { index, now in
            index.takePending(identifiers, at: now)
                .map { .removal($0, reason: .removedByApp, isPending: true, at: now) }
        }.receipts
    }

    /// Records that the app takes back notifications from the delivered list.
    ///
    /// - Parameter identifiers: which; `nil` for all.
    @discardableResult
    public func recordRemoval(delivered identifiers: [String]?) -> [Receipt] {
        changeIndex { index, now in
            index.takeDelivered(identifiers, at: now).map {
                .removal($0, reason: .removedByApp, isPending: false, at: now)
            }
        }.receipts
    }

    /// Records that the app takes back notifications from the delivered list, which it has just read. What is not in the list
    /// was not delivered, and nothing is recorded of it.
    ///
    /// - Parameters:
    ///   - identifiers: which; `nil` for all.
    ///   - list: the list before.
    @discardableResult
    public func recordRemoval(delivered identifiers: [String]?, of list: [Delivered]) -> [Receipt] {
        changeIndex { index, now in
            index.sweep(list, at: now).events(at: now)
                + index.takeDelivered(identifiers, isRead: true, at: now).map {
                    .removal($0, reason: .removedByApp, isPending: false, at: now)
                }
        }.receipts
    }

    /// Records the notifications that the delivered list gained and lost since the last sweep.
    @discardableResult
    public func recordSweep(_ delivered: [Delivered]) -> [Receipt] {
        changeIndex { index, now in
            index.sweep(delivered, at: now).events(at: now)
        }.receipts
    }

    /// Tracks that a notification reached the device, which the index has to know where the app asked for it.
    private func trackArrival(
        of notification: Delivered,
        isListed: Bool,
        _ event: (Date) -> Event
    ) -> Receipt {
        guard notification.request.trigger.kind != .push else { return track(event(options.clock.now)) }
        return first(
            of: changeIndex { index, now in
                index.arrive(notification, isListed: isListed)
                return [event(now)]
            }
        )
    }

    private func first(of outcome: (receipts: [Receipt], failure: Receipt.Reason?)) -> Receipt {
        outcome.receipts.first ?? Receipt(reason: outcome.failure ?? .noConsent)
    }
}
