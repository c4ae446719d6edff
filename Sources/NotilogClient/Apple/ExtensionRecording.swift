#if canImport(UserNotifications) && !os(tvOS)
    import Foundation
    public import UserNotifications

    extension Notilog {
        /// Begins to time what a `UNNotificationServiceExtension` does with a notification. Call it in the first line
        /// of its `didReceive(_:withContentHandler:)`.
        ///
        /// Create the extension's recorder with the app's ``Options/appGroup``, so that both share one queue and one
        /// device id.
        public func beginExtension(_ request: UNNotificationRequest) -> ExtensionRecording {
            // An extension follows no foreground, in which the app says so.
            logDiagnosis()
            return ExtensionRecording(self, request)
        }

        /// Records what a service extension does with one notification. It records one event, whichever methods are
        /// called.
        public final class ExtensionRecording: @unchecked Sendable {
            private let notilog: Notilog
            private let original: UNNotificationContent
            private let facts: Notilog.Request
            private let state: Guarded<ExtensionProgress>
            private let handing = Guarded(Handing.expected)

            /// What became of the content. It is passed on once, whoever asks for it and how often.
            private enum Handing {
                case expected
                /// It waits for the delivery to be sent.
                case waiting(() -> Void)
                case done
            }

            init(_ notilog: Notilog, _ request: UNNotificationRequest) {
                self.notilog = notilog
                original = request.content
                facts = Notilog.Request(request)
                state = Guarded(ExtensionProgress(began: notilog.options.clock.now))
            }

            /// An attachment was loaded, or failed to load.
            public func attachment(isLoaded: Bool) {
                state.withLock { isLoaded ? ($0.loaded += 1) : ($0.failed += 1) }
            }

            /// Something failed, such as the decryption. The content is passed on unchanged, but not by choice. The
            /// event says so in `attributes.extension_failure`.
            ///
            /// - Parameter what: a word of the app for this sort of failure. It must contain nothing from the content.
            public func failed(_ what: String) {
                state.withLock { $0.failure = String(what.prefix(64)) }
            }

            /// The content is passed on. Call this just before the content handler. The delivery stays in the queue;
            /// see ``finish(_:sendingWithin:contentHandler:)``.
            ///
            /// - Returns: the receipt of the event, the first time.
            @discardableResult
            public func finish(_ content: UNNotificationContent) -> Notilog.Receipt? {
                end(ExtensionProgress.result(before: ContentWords(original), after: ContentWords(content)), content)
            }

            /// Records the delivery, sends it, and passes the content on. Call it in the last line of `didReceive`.
            ///
            /// The app may not be opened for days, but what the extension sends itself is in the reports in time. If
            /// the service does not answer within the limit, the delivery stays in the queue for the next extension or
            /// the app.
            ///
            /// - Parameters:
            ///   - content: the content to show.
            ///   - seconds: the longest time that the content waits. Default: 2 of the extension's 30 seconds.
            ///   - contentHandler: the system's handler. It is called once, with the content of the first call: another
            ///     call does nothing. After ``expire()`` nothing is sent first.
            public func finish(
                _ content: UNNotificationContent,
                sendingWithin seconds: TimeInterval = 2,
                contentHandler: @escaping (UNNotificationContent) -> Void
            ) {
                let isRecorded = finish(content) != nil
                let isFirst = handing.withLock { handing in
                    guard case .expected = handing else { return false }
                    handing = .waiting { contentHandler(content) }
                    return true
                }
                guard isFirst else { return }
                guard isRecorded else { return handOn() }
                Task {
                    await notilog.flushOrHandOver(within: seconds)
                    handOn()
                }
            }

            /// Records the delivery and sends it, within this number of seconds. Call the content handler afterward.
            public func finish(_ content: UNNotificationContent, sendingWithin seconds: TimeInterval) async {
                guard finish(content) != nil else { return }
                await notilog.flushOrHandOver(within: seconds)
            }

            /// The time is over. Call this in the first line of `serviceExtensionTimeWillExpire()`. Content that waits
            /// to be sent is passed on at once. If none waits, pass on what there is with
            /// ``finish(_:sendingWithin:contentHandler:)``.
            @discardableResult
            public func expire() -> Notilog.Receipt? {
                handOn()
                return end(.expired, original)
            }

            private func handOn() {
                let hand: (() -> Void)? = handing.withLock { handing in
                    guard case .waiting(let hand) = handing else { return nil }
                    handing = .done
                    return hand
                }
                hand?()
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
                    content.targetContentIdentifier ?? "",
                ],
                attachments: content.attachments.map(\.identifier),
                badge: content.badge?.intValue,
                sound: content.sound,
                level: content.interruptionLevel.rawValue,
                relevance: content.relevanceScore,
                fingerprint: Notilog.Content.fingerprint(content.userInfo)
            )
        }
    }
#endif
