#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation
    public import UserNotifications

    extension Notilog {
        /// Records the callbacks of the notification center, and forwards them to the app's own delegate.
        ///
        /// Call it before launch ends, in `application(_:willFinishLaunchingWithOptions:)` or the app's `init`. A
        /// response that started the app is delivered to the delegate that is set by then.
        ///
        /// If it is called again, the last call counts. An earlier call's delegate no longer records.
        ///
        /// - Parameters:
        ///   - center: the notification center.
        ///   - delegate: the app's own delegate, held weakly as by the center. Default: the center's present delegate.
        ///   - presentation: how notifications are shown in the foreground if the app's delegate does not decide.
        ///   - legacy: for an app that has only the callbacks of iOS 9 and before. Once the center has a delegate, iOS
        ///     calls none of them, except the one with a `fetchCompletionHandler` for pushes with `content-available`.
        ///     This closure is called instead, with their arguments.
        /// - Returns: the center's new delegate, which this object keeps alive.
        @discardableResult
        public func install(
            on center: UNUserNotificationCenter = .current(),
            forwardingTo delegate: (any UNUserNotificationCenterDelegate)? = nil,
            presentation: UNNotificationPresentationOptions = [],
            legacy: (@Sendable (LegacyCallback) -> Void)? = nil
        ) -> CenterDelegate {
            let before = delegate ?? center.delegate
            let replaced = before as? CenterDelegate
            let wrapper = CenterDelegate(
                self,
                // The app's own, not ours around it, which nobody would keep.
                forwardingTo: replaced == nil ? before : replaced?.next,
                presentation: presentation,
                legacy: legacy
            )
            replaced?.isForwardingAlone.withLock { $0 = true }
            wrapper.earlier = replaced?.earlier
            installed.withLock { installed in
                if replaced == nil, let earlier = installed as? CenterDelegate {
                    // Another's delegate has come in between, and may hand on to this one, which it holds weakly.
                    earlier.isForwardingAlone.withLock { $0 = true }
                    wrapper.earlier = earlier
                }
                installed = wrapper
            }
            center.delegate = wrapper
            let (center, own) = (Handed(center), Handed(Weak(wrapper)))
            observations.withLock { observations in
                observations.otherDelegate = {
                    let present = center.value.delegate
                    guard present !== own.value.object else { return nil }
                    return present.map { String(describing: type(of: $0)) } ?? "nothing"
                }
            }
            return wrapper
        }

        /// A delegate of the notification center that records and forwards.
        public final class CenterDelegate: NSObject, UNUserNotificationCenterDelegate, @unchecked Sendable {
            // Weak, because the recorder retains it.
            private weak var notilog: Notilog?
            fileprivate weak var next: (any UNUserNotificationCenterDelegate)?
            /// Whether a later delegate records in its place.
            fileprivate let isForwardingAlone = Guarded(false)
            /// A delegate that is no longer installed, but kept for callers that still use it.
            fileprivate var earlier: CenterDelegate?
            private let presentation: UNNotificationPresentationOptions
            private let legacy: (@Sendable (LegacyCallback) -> Void)?

            /// Creates a delegate. ``Notilog/install(on:forwardingTo:presentation:legacy:)`` does so and installs it.
            public init(
                _ notilog: Notilog,
                forwardingTo next: (any UNUserNotificationCenterDelegate)?,
                presentation: UNNotificationPresentationOptions = [],
                legacy: (@Sendable (LegacyCallback) -> Void)? = nil
            ) {
                self.legacy = legacy
                self.notilog = notilog
                self.next = next
                self.presentation = presentation
            }

            private var recorder: Notilog? { isForwardingAlone.withLock { $0 } ? nil : notilog }

            /// A notification arrived while the app was in the foreground.
            public func userNotificationCenter(
                _ center: UNUserNotificationCenter,
                willPresent notification: UNNotification,
                withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
            ) {
                let facts = Notilog.Delivered(notification)
                let notilog = recorder
                notilog?.record(facts, source: .willPresent)
                let handler = Handed(completionHandler)
                let answer: @Sendable (UNNotificationPresentationOptions) -> Void = { options in
                    notilog?.record(facts, presentedWith: options.rawValue)
                    onMain { handler.value(options) }
                }
                #if canImport(ObjectiveC)
                    let isTaken: Void? = next?.userNotificationCenter?(
                        center,
                        willPresent: notification,
                        withCompletionHandler: answer
                    )
                #else
                    let isTaken: Void? = next?.userNotificationCenter(
                        center,
                        willPresent: notification,
                        withCompletionHandler: answer
                    )
                #endif
                guard isTaken == nil else { return }
                legacy?(LegacyCallback(notification))
                answer(presentation)
            }

            /// The person responded.
            public func userNotificationCenter(
                _ center: UNUserNotificationCenter,
                didReceive response: UNNotificationResponse,
                withCompletionHandler completionHandler: @escaping () -> Void
            ) {
                recorder?.record(response)
                let handler = Handed(completionHandler)
                let answer: @Sendable () -> Void = { onMain { handler.value() } }
                #if canImport(ObjectiveC)
                    let isTaken: Void? = next?.userNotificationCenter?(
                        center,
                        didReceive: response,
                        withCompletionHandler: answer
                    )
                #else
                    let isTaken: Void? = next?.userNotificationCenter(
                        center,
                        didReceive: response,
                        withCompletionHandler: answer
                    )
                #endif
                guard isTaken == nil else { return }
                LegacyCallback(response).map { legacy?($0) }
                answer()
            }

            #if !os(watchOS)
                /// The person asked for the app's own notification settings.
                public func userNotificationCenter(
                    _ center: UNUserNotificationCenter,
                    openSettingsFor notification: UNNotification?
                ) {
                    recorder?.recordOpenSettings(from: notification.map { Notilog.Delivered($0) })
                    #if canImport(ObjectiveC)
                        next?.userNotificationCenter?(center, openSettingsFor: notification)
                    #else
                        next?.userNotificationCenter(center, openSettingsFor: notification)
                    #endif
                }
            #endif
        }
    }
#endif
