#if canImport(UserNotifications) && !os(tvOS)
    import Foundation
    public import UserNotifications

    extension Notilog {
        /// Begins to time what a `UNNotificationServiceExtension` does with a notification: the first line of its
        /// `didReceive(_:withContentHandler:)`.
        ///
        /// Make the recorder of the extension with the app's ``Options/appGroup``, so that both have one queue and one
        /// device id.
        public func beginExtension(_ request: UNNotificationRequest) -> ExtensionRecording {
            ExtensionRecording(self, request)
        }

        /// Records what a service extension does with one notification, as one event, whichever methods are called.
        public final class ExtensionRecording: @unchecked Sendable {
            private let notilog: Notilog
            private let original: UNNotificationContent
            private let facts: Notilog.Request
            private let state: Guarded<ExtensionProgress>

            init(_ notilog: Notilog, _ request: UNNotificationRequest) {
                self.notilog = notilog
                original = request.content
                facts = Notilog.Request(request)
                state = Guarded(ExtensionProgress(began: notilog.options.clock.now))
            }

            /// An attachment was loaded, or could not be.
            public func attachment(isLoaded: Bool) {
                state.withLock { isLoaded ? ($0.loaded += 1) : ($0.failed += 1) }
            }

            /// The content is handed on: call it just before the content handler.
            ///
            /// - Returns: what became of the event, the first time.
            @discardableResult
            public func finish(_ content: UNNotificationContent) -> Notilog.Receipt? {
                end(ExtensionProgress.result(before: ContentWords(original), after: ContentWords(content)), content)
            }

            /// The time is over: the first line of `serviceExtensionTimeWillExpire()`.
            @discardableResult
            public func expire() -> Notilog.Receipt? {
                end(.expired, original)
            }

            private func end(
                _ result: Notilog.ExtensionOutcome.Result,
                _ content: UNNotificationContent
            ) -> Notilog.Receipt? {
                let now = notilog.options.clock.now
                guard let outcome = state.withLock({ $0.end(result, at: now) }) else { return nil }
                var facts = facts
                // The category that the person sees, which the extension may have changed.
                facts.content.categoryID = content.categoryIdentifier
                return notilog.record(Notilog.Delivered(facts, date: nil), source: .serviceExtension, outcome: outcome)
            }
        }
    }

    extension ContentWords {
        init(_ content: UNNotificationContent) {
            self.init(
                words: [
                    content.title, content.subtitle, content.body, content.categoryIdentifier, content.threadIdentifier,
                ],
                attachments: content.attachments.map(\.identifier),
                badge: content.badge?.intValue,
                hasSound: content.sound != nil,
                digest: Notilog.Content.digest(content.userInfo)
            )
        }
    }
#endif
