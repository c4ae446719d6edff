#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation

    /// The callback that told the app that it came to the foreground; see ``Notilog/AppOpenSource``.
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

    /// The person's answer to the app's own question; see ``Notilog/PromptAnswer``.
    #if canImport(ObjectiveC)
        @objc(NLGPromptAnswer)
    #endif
    public enum NLGPromptAnswer: Int, Sendable {
        /// The person agrees to be asked by the system.
        case continued
        /// Not now.
        case later
        /// Not at all.
        case never
        /// The question was closed without an answer.
        case dismissed
    }

    /// What followed notifications.
    extension NLGNotilog {
        /// Records that the app came to the foreground, if the client does not observe that itself.
        ///
        /// - Parameters:
        ///   - source: the callback that reported it.
        ///   - isCold: whether the process was started for it.
        ///   - notificationID: the notification whose tap opened the app, if there was one.
        public func recordAppOpen(_ source: NLGAppOpenSource, isCold: Bool, notificationID: String?) {
            let origin: Notilog.AppOpenSource =
                switch source {
                case .launch: .launch
                case .foreground: .foreground
                case .scene: .scene
                }
            recorder.recordAppOpen(origin, isCold: isCold, notificationID: notificationID)
        }

        /// Records a conversion: an event that the product wants.
        ///
        /// - Parameters:
        ///   - name: what happened, such as `purchase`.
        ///   - value: what it was worth, in minor units of the currency; `nil` if that is not known.
        ///   - currency: the currency in ISO 4217. Without it the value is not recorded.
        ///   - orderID: the order's id. An order counts once, however often it is recorded.
        public func recordConversion(_ name: String, value: NSNumber?, currency: String?, orderID: String?) {
            let amount = value.flatMap { value in
                currency.map { Notilog.Conversion.Amount(value.int64Value, $0) }
            }
            recorder.record(Notilog.Conversion(name, amount: amount, orderID: orderID))
        }

        /// Records the person's answer to the app's own question, which comes before the system's.
        ///
        /// - Parameters:
        ///   - placement: where in the app it was asked.
        ///   - variant: the wording.
        ///   - answer: the person's answer.
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
