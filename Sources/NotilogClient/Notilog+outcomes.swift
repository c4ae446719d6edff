public import Foundation

/// Records what followed notifications.
extension Notilog {
    /// Records that the app came to the foreground.
    ///
    /// - Parameters:
    ///   - source: the callback that reported it.
    ///   - isCold: whether the process was started for it.
    ///   - notificationID: the notification whose tap opened the app, if there was one.
    @discardableResult
    public func recordAppOpen(_ source: AppOpenSource, isCold: Bool? = nil, notificationID: String? = nil) -> Receipt {
        track(.appOpen(source, isCold: isCold, notificationID: notificationID, at: options.clock.now))
    }

    /// Records a conversion: an event that the product wants.
    @discardableResult
    public func record(_ conversion: Conversion) -> Receipt {
        track(.conversion(conversion, at: options.clock.now))
    }

    /// Records the person's answer to the app's own question, which comes before the system's.
    ///
    /// - Parameters:
    ///   - placement: where in the app it was asked.
    ///   - variant: the wording.
    ///   - answer: the person's answer.
    @discardableResult
    public func recordPermissionPrompt(placement: String, variant: String? = nil, answer: PromptAnswer) -> Receipt {
        track(.permissionPrompt(placement: placement, variant: variant, answer: answer, at: options.clock.now))
    }

    /// Records the state of a Live Activity, as `activityStateUpdates` and `contentUpdates` report it.
    @discardableResult
    public func record(_ activity: LiveActivity) -> Receipt {
        track(.liveActivity(activity, at: options.clock.now))
    }

    /// Records a token other than the device token: for starting Live Activities, for widgets, or for a control.
    ///
    /// - Parameters:
    ///   - token: the token as it came. The service keeps only its digest.
    ///   - use: the purpose of pushes to it.
    ///   - topic: the APNs topic of such pushes.
    ///   - isSandbox: whether the token belongs to APNs' sandbox. By default, the provisioning profile decides.
    @discardableResult
    public func record(token: Data, for use: TokenUse, topic: String?, isSandbox: Bool? = nil) -> Receipt {
        let isSandbox = isSandbox ?? options.provisioning.isSandbox
        return track(.token(token, for: use, topic: topic, isSandbox: isSandbox, at: options.clock.now))
    }
}
