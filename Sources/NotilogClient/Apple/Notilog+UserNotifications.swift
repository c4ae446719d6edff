#if canImport(UserNotifications)
    public import UserNotifications

    extension Notilog {
        /// Asks for permission, and records the answer, the status before it, and the settings after it.
        public func requestAuthorization(
            options: UNAuthorizationOptions,
            center: UNUserNotificationCenter = .current(),
            completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
        ) {
            let question = Question(center: center, options: options)
            center.getNotificationSettings { settings in
                let status = settings.authorizationStatus.rawValue
                question.center.requestAuthorization(options: question.options) { granted, error in
                    self.record(
                        authorizationOptions: question.options.rawValue,
                        granted: granted,
                        error: error,
                        statusBefore: status
                    )
                    // Without a dialog, as for a provisional permission, the app does not become active afterwards, and
                    // nothing else tells of the new status.
                    self.recordSettings(of: question.center)
                    completion?(granted, error)
                }
            }
        }

        /// Records the current settings. Call it when the app comes to the foreground, because the system reports no
        /// changes.
        public func recordSettings(of center: UNUserNotificationCenter = .current()) {
            center.getNotificationSettings { settings in self.record(Settings(settings)) }
        }

        /// Records the given settings.
        @discardableResult
        public func record(_ settings: UNNotificationSettings) -> Receipt {
            record(Settings(settings))
        }
    }

    /// The notification center and the work for it. Apple's center may be used on any thread, although its type does
    /// not say so.
    private struct Question: @unchecked Sendable {
        let center: UNUserNotificationCenter
        let options: UNAuthorizationOptions
    }
#endif

#if canImport(UserNotifications) && !os(tvOS)
    extension Notilog {
        /// Stamps the request's `userInfo` with the notification's id, adds the request, and records the result. If a
        /// request with the same identifier is still pending or shown, this is an update of it; see
        /// ``stamp(_:identifier:campaignID:variant:)``.
        ///
        /// - Parameters:
        ///   - request: the request to add. Its content is copied and stamped, and not changed otherwise.
        ///   - center: the notification center.
        ///   - campaignID: the campaign of the notification.
        ///   - variant: the variant of an experiment.
        ///   - completion: called with the answer of `add`.
        public func add(
            _ request: UNNotificationRequest,
            to center: UNUserNotificationCenter = .current(),
            campaignID: String? = nil,
            variant: String? = nil,
            completion: (@Sendable ((any Error)?) -> Void)? = nil
        ) {
            var stamped = request
            if let content = request.content.mutableCopy() as? UNMutableNotificationContent {
                content.userInfo = stamp(
                    content.userInfo,
                    identifier: request.identifier,
                    campaignID: campaignID,
                    variant: variant
                )
                stamped = UNNotificationRequest(
                    identifier: request.identifier,
                    content: content,
                    trigger: request.trigger
                )
            }
            let facts = Request(stamped)
            center.add(stamped) { error in
                self.record(facts, error: error)
                completion?(error)
            }
        }

        /// Records a request that the app adds itself.
        @discardableResult
        public func record(_ request: UNNotificationRequest, error: (any Error)? = nil) -> Receipt {
            record(Request(request), error: error)
        }

        /// Records the app's answer to `willPresent`: that the notification arrived, and how it is shown.
        @discardableResult
        public func record(
            _ notification: UNNotification,
            presentedWith options: UNNotificationPresentationOptions
        ) -> Receipt {
            record(Delivered(notification), presentedWith: options.rawValue)
        }

        /// Records a response, in `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
        @discardableResult
        public func record(
            _ response: UNNotificationResponse,
            by callback: Callback = .didReceiveResponse,
            appState: AppState? = nil
        ) -> Receipt {
            record(Response(response), by: callback, appState: appState)
        }

        /// Records a response, sends it, and then calls back. Use it if the app answers the system only when the
        /// service has the event.
        ///
        /// - Parameters:
        ///   - response: the response.
        ///   - seconds: the longest time that this takes. What is not sent by then is sent later.
        ///   - done: called once, on the main thread.
        public func record(
            _ response: UNNotificationResponse,
            sendingWithin seconds: TimeInterval,
            done: @escaping () -> Void
        ) {
            record(response)
            let handler = Handed(done)
            Task {
                await flushOrHandOver(within: seconds)
                onMain { handler.value() }
            }
        }

        /// Records the response that started a scene: `connectionOptions.notificationResponse` in
        /// `scene(_:willConnectTo:options:)`. Without a response, it does nothing.
        @discardableResult
        public func record(sceneConnection response: UNNotificationResponse?) -> Receipt? {
            response.map { record(Response($0), by: .sceneWillConnect, appState: .notRunning) }
        }

        /// Records that a content extension shows a notification. Call it in `didReceive(_ notification:)`.
        @discardableResult
        public func record(expanded notification: UNNotification) -> Receipt {
            track(.presentation(Delivered(notification), inApp: false, at: options.clock.now))
        }

        /// Sets the app's categories, and records them.
        public func setCategories(
            _ categories: Set<UNNotificationCategory>,
            on center: UNUserNotificationCenter = .current()
        ) {
            record(categories.map { Category($0) })
            center.setNotificationCategories(categories)
        }

        /// Removes pending requests, and records that.
        ///
        /// - Parameter identifiers: the requests to remove; `nil` for all.
        public func removePending(_ identifiers: [String]?, from center: UNUserNotificationCenter = .current()) {
            recordRemoval(pending: identifiers)
            if let identifiers {
                center.removePendingNotificationRequests(withIdentifiers: identifiers)
            } else {
                center.removeAllPendingNotificationRequests()
            }
        }

        /// Removes notifications from the delivered list, and records that. It reads the list first, so the
        /// notifications are gone a moment after this returns, or when the completion handler is called.
        ///
        /// - Parameters:
        ///   - identifiers: the notifications to remove; `nil` for all.
        ///   - center: the notification center.
        ///   - completion: called when they are removed.
        public func removeDelivered(
            _ identifiers: [String]?,
            from center: UNUserNotificationCenter = .current(),
            completion: (@Sendable () -> Void)? = nil
        ) {
            let boxed = Handed(center)
            center.getDeliveredNotifications { notifications in
                self.recordRemoval(delivered: identifiers, of: notifications.map { Delivered($0) })
                if let identifiers {
                    boxed.value.removeDeliveredNotifications(withIdentifiers: identifiers)
                } else {
                    boxed.value.removeAllDeliveredNotifications()
                }
                completion?()
            }
        }

        /// Reads the delivered list, and records the notifications that entered and left it since the last sweep. Call
        /// it when the app comes to the foreground.
        public func sweepDelivered(of center: UNUserNotificationCenter = .current()) {
            center.getDeliveredNotifications { notifications in
                self.recordSweep(notifications.map { Delivered($0) })
            }
        }
    }
#endif
