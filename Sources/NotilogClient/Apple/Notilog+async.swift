#if canImport(UserNotifications)
    public import UserNotifications

    /// The same for `async` callers.
    extension Notilog {
        /// Asks for permission, and records the answer, the status before it, and the settings after it.
        @discardableResult
        public func requestAuthorization(
            options: UNAuthorizationOptions,
            center: UNUserNotificationCenter = .current()
        ) async throws -> Bool {
            try await withCheckedThrowingContinuation { continuation in
                requestAuthorization(options: options, center: center) { granted, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: granted)
                    }
                }
            }
        }

        /// Records the current settings.
        public func recordSettings(of center: UNUserNotificationCenter = .current()) async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                center.getNotificationSettings { settings in
                    self.record(Settings(settings))
                    continuation.resume()
                }
            }
        }
    }
#endif

#if canImport(UserNotifications) && !os(tvOS)
    extension Notilog {
        /// Stamps, adds and records a request; see ``add(_:to:campaignID:variant:completion:)``.
        public func add(
            _ request: UNNotificationRequest,
            to center: UNUserNotificationCenter = .current(),
            campaignID: String? = nil,
            variant: String? = nil
        ) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                add(request, to: center, campaignID: campaignID, variant: variant) { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }

        /// Removes notifications from the delivered list, and records that.
        ///
        /// - Parameters:
        ///   - identifiers: the notifications to remove; `nil` for all.
        ///   - center: the notification center.
        public func removeDelivered(
            _ identifiers: [String]?,
            from center: UNUserNotificationCenter = .current()
        ) async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                removeDelivered(identifiers, from: center) { continuation.resume() }
            }
        }

        /// Reads the delivered list, and records the notifications that entered and left it since the last sweep.
        public func sweepDelivered(of center: UNUserNotificationCenter = .current()) async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                center.getDeliveredNotifications { notifications in
                    self.recordSweep(notifications.map { Delivered($0) })
                    continuation.resume()
                }
            }
        }
    }
#endif
