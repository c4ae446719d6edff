public import Foundation

/// Recording from plain values. If `UserNotifications` can be imported, each method has a counterpart that takes
/// Apple's type.
extension Notilog {
    /// Records a request, after `add` has answered.
    ///
    /// - Parameter error: the error of `add`.
    @discardableResult
    public func record(_ request: Request, error: (any Error)? = nil) -> Receipt {
        defer { stamped.withLock { $0.remove(request.identifier) } }
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
    ///   - notification: the notification with what is known of its content. Without text, sound or badge it is not
    ///     alerting.
    ///   - source: how the delivery was seen.
    ///   - outcome: what a service extension did with the notification.
    @discardableResult
    public func record(_ notification: Delivered, source: DeliverySource, outcome: ExtensionOutcome? = nil) -> Receipt {
        if source == .serviceExtension { noticeExtension() } else { notice(notification) }
        return trackArrival(of: notification, isListed: true) {
            .delivery(notification, source: source, outcome: outcome, at: $0)
        }
    }

    /// Records the app's answer to `willPresent`.
    ///
    /// - Parameter options: the raw value of `UNNotificationPresentationOptions`.
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
        let (identified, sendsText) = (response, options.sendsReplyText)
        return first(
            of: changeIndex { index, now in
                index.respond(to: identified.notification)
                return [.response(identified, by: callback, appState: appState, sendsText: sendsText, at: now)]
            }
        )
    }

    /// Records the current settings.
    @discardableResult
    public func record(_ settings: Settings) -> Receipt {
        track(.settings(settings, at: options.clock.now))
    }

    /// Records the categories that the app registers.
    @discardableResult
    public func record(_ categories: [Category]) -> Receipt {
        track(.categories(categories, at: options.clock.now))
    }

    /// Records the answer to the app's request for permission.
    ///
    /// - Parameters:
    ///   - authorizationOptions: the raw value of `UNAuthorizationOptions`.
    ///   - granted: the answer.
    ///   - error: the error of the request.
    ///   - statusBefore: the raw value of `UNAuthorizationStatus` just before the request. Without it, nobody can tell
    ///     later whether the person was asked or an earlier answer was repeated.
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

    /// Records that the person opened the app's notification settings from the system's settings (`openSettingsFor`).
    @discardableResult
    public func recordOpenSettings() -> Receipt {
        track(.openSettings(at: options.clock.now))
    }

    /// Records that the person opened the app's notification settings, and from where.
    ///
    /// - Parameter notification: the notification that the person came from; `nil` for the system's settings.
    @discardableResult
    public func recordOpenSettings(from notification: Delivered?) -> Receipt {
        track(.openSettings(from: notification, at: options.clock.now))
    }

    /// Records a device token, in `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// - Parameters:
    ///   - deviceToken: the token as it came. The service keeps only its digest.
    ///   - topic: the APNs topic. Default: the app's bundle identifier.
    ///   - isSandbox: whether the token belongs to APNs' sandbox. By default, the provisioning profile decides.
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

    /// Records a token of a Live Activity, as `pushTokenUpdates` reports it. Each activity has its own tokens.
    ///
    /// - Parameters:
    ///   - activityToken: the token as it came. The service keeps only its digest.
    ///   - activityID: the activity's `id`.
    ///   - topic: the APNs topic. Default: the topic of the app's Live Activities.
    ///   - isSandbox: whether the token belongs to APNs' sandbox. By default, the provisioning profile decides.
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

    /// Records that the app removes pending requests.
    ///
    /// - Parameter identifiers: the requests to remove; `nil` for all.
    @discardableResult
    public func recordRemoval(pending identifiers: [String]?) -> [Receipt] {
        changeIndex { index, now in
            index.takePending(identifiers, at: now)
                .map { .removal($0, reason: .removedByApp, isPending: true, at: now) }
        }.receipts
    }

    /// Records that the app removes notifications from the delivered list.
    ///
    /// - Parameter identifiers: the notifications to remove; `nil` for all.
    @discardableResult
    public func recordRemoval(delivered identifiers: [String]?) -> [Receipt] {
        changeIndex { index, now in
            index.takeDelivered(identifiers, at: now).map {
                .removal($0, reason: .removedByApp, isPending: false, at: now)
            }
        }.receipts
    }

    /// Records that the app removes notifications from the delivered list, which it has just read. A notification that
    /// is not in the list was not delivered, and nothing is recorded for it.
    ///
    /// - Parameters:
    ///   - identifiers: the notifications to remove; `nil` for all.
    ///   - list: the list before the removal.
    @discardableResult
    public func recordRemoval(delivered identifiers: [String]?, of list: [Delivered]) -> [Receipt] {
        changeIndex { index, now in
            index.sweep(list, at: now).events(at: now)
                + index.takeDelivered(identifiers, isRead: true, at: now).map {
                    .removal($0, reason: .removedByApp, isPending: false, at: now)
                }
        }.receipts
    }

    /// Records the notifications that entered and left the delivered list since the last sweep.
    @discardableResult
    public func recordSweep(_ delivered: [Delivered]) -> [Receipt] {
        changeIndex { index, now in
            index.sweep(delivered, at: now).events(at: now)
        }.receipts
    }

    /// Tracks that a notification reached the device. If the app requested it, the index has to know.
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
