#if canImport(UserNotifications)
    public import UserNotifications

    extension Notilog {
        /// Asks for permission, and records the answer and the status before it.
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
                    completion?(granted, error)
                }
            }
        }

        /// Records the settings as they are now: when the app comes to the foreground, as nothing tells of a change.
        public func recordSettings(of center: UNUserNotificationCenter = .current()) {
            center.getNotificationSettings { settings in self.record(Settings(settings)) }
        }

        /// Records settings at hand.
        @discardableResult
        public func record(_ settings: UNNotificationSettings) -> Receipt {
            record(Settings(settings))
        }
    }

    /// What is asked of whom. Apple's center may be used on any thread, and does not say so in its type.
    private struct Question: @unchecked Sendable {
        let center: UNUserNotificationCenter
        let options: UNAuthorizationOptions
    }
#endif

#if canImport(UserNotifications) && !os(tvOS)
    extension Notilog {
        /// Stamps the request's `userInfo` with the notification's id, adds it, and records that, or why it failed. Under
        /// the identifier of one that is still pending or shown it is an update of that one; see ``stamp(_:identifier:campaignID:variant:)``.
        ///
        /// - Parameters:
        ///   - request: the request to add. Its content is copied and stamped, and otherwise unchanged.
        ///   - center: the notification center.
        ///   - campaignID: the campaign that it belongs to.
        ///   - variant: the variant of an experiment.
        ///   - completion: called with what `add` answered.
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

        /// Records what the app answers to `willPresent`: that the notification is here, and how it is shown.
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

        /// Records a response and sends it, and then calls back: for an app that answers the system when the event is with
        /// the service.
        ///
        /// - Parameters:
        ///   - response: the response.
        ///   - seconds: the longest that it takes; what is not sent by then is sent later.
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

        /// Records the response that a scene was started by: `connectionOptions.notificationResponse` in
        /// `scene(_:willConnectTo:options:)`. Without one, nothing.
        @discardableResult
        public func record(sceneConnection response: UNNotificationResponse?) -> Receipt? {
            response.map { record(Response($0), by: .sceneWillConnect, appState: .notRunning) }
        }

        /// Records that a content extension shows a notification, in its `didReceive(_ notification:)`.
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

        /// Takes requests back that have not fired, and records that.
        ///
        /// - Parameter identifiers: which; `nil` for all.
        public func removePending(_ identifiers: [String]?, from center: UNUserNotificationCenter = .current()) {
            recordRemoval(pending: identifiers)
            if let identifiers {
                center.removePendingNotificationRequests(withIdentifiers: identifiers)
            } else {
                center.removeAllPendingNotificationRequests()
            }
        }

        /// Takes notifications from the delivered list, and records that. It reads the list before: the list is empty a
        /// moment after this returns, or when the completion handler is called.
        ///
        /// - Parameters:
        ///   - identifiers: which; `nil` for all.
        ///   - center: the notification center.
        ///   - completion: called once they are taken.
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

        /// Reads the delivered list, and records the notifications that it gained and lost since the last sweep. Call it
        /// when the app comes to the foreground.
        public func sweepDelivered(of center: UNUserNotificationCenter = .current()) {
            center.getDeliveredNotifications { notifications in
                self.recordSweep(notifications.map { Delivered($0) })
            }
        }
    }
#endif
