#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation

    /// The callback by which the app learnt that it came to the foreground; see ``Notilog/AppOpenSource``.
    #if canImport(ObjectiveC)
        @objc(NLGAppOpenSource)
    #endif
    public enum NLGAppOpenSource: Int, Sendable {
        /// `application:didFinishLaunchingWithOptions:`
        case launch
        /// `applicationWillEnterForeground:`
        case foreground
        /// `sceneWillEnterForeground:`
        case scene
    }

    /// What the person answered to the app's own question; see ``Notilog/PromptAnswer``.
    #if canImport(ObjectiveC)
        @objc(NLGPromptAnswer)
    #endif
    public enum NLGPromptAnswer: Int, Sendable {
        /// The person wants to be asked by the system.
        case continued
        /// Not now.
        case later
        /// Not at all.
        case never
        /// The question was closed without an answer.
        case dismissed
    }

    /// What came of notifications.
    extension NLGNotilog {
        /// Records that the app came to the foreground, where the client does not follow that itself.
        ///
        /// - Parameters:
        ///   - source: the callback that told.
        ///   - isCold: whether the process was started for it.
        ///   - notificationID: the notification whose tap opened the app, if one did.
        public func recordAppOpen(_ source: NLGAppOpenSource, isCold: Bool, notificationID: String?) {
            let told: Notilog.AppOpenSource =
                switch source {
                case .launch: .launch
                case .foreground: .foreground
                case .scene: .scene
                }
            recorder.recordAppOpen(told, isCold: isCold, notificationID: notificationID)
        }

        /// Records that something happened that the product wants.
        ///
        /// - Parameters:
        ///   - name: what happened: `purchase`.
        ///   - value: what it was worth, in minor units of the currency; `nil` if nothing is known.
        ///   - currency: ISO 4217; without it the value is not recorded.
        ///   - orderID: the order's id: however often it is recorded, it counts once.
        public func recordConversion(_ name: String, value: NSNumber?, currency: String?, orderID: String?) {
            let amount = value.flatMap { value in
                currency.map { Notilog.Conversion.Amount(value.int64Value, $0) }
            }
            recorder.record(Notilog.Conversion(name, amount: amount, orderID: orderID))
        }

        /// Records what the person answered to the app's own question, before the system's.
        ///
        /// - Parameters:
        ///   - placement: where in the app it was asked.
        ///   - variant: which wording.
        ///   - answer: the person's.
        public func recordPermissionPrompt(placement: String, variant: String?, answer: NLGPromptAnswer) {
            let given: Notilog.PromptAnswer =
                switch answer {
                case .continued: .continued
                case .later: .later
                case .never: .never
                case .dismissed: .dismissed
                }
            recorder.recordPermissionPrompt(placement: placement, variant: variant, answer: given)
        }
    }
#endif
