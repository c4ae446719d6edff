public import Foundation

/// Recording what came of notifications.
extension Notilog {
    /// Records that the app came to the foreground.
    ///
    /// - Parameters:
    ///   - source: the callback that told.
    ///   - isCold: whether the process was started for it.
    ///   - notificationID: the notification whose tap opened the app, if one did.
    @discardableResult
    public func recordAppOpen(_ source: AppOpenSource, isCold: Bool? = nil, notificationID: String? = nil) -> Receipt {
        track(.appOpen(source, isCold: isCold, notificationID: notificationID, at: options.clock.now))
    }

    /// Records that something happened that the product wants.
    @discardableResult
    public func record(_ conversion: Conversion) -> Receipt {
        track(.conversion(conversion, at: options.clock.now))
    }

    /// Records what the person answered to the app's own question, before the system's.
    ///
    /// - Parameters:
    ///   - placement: where in the app it was asked.
    ///   - variant: which wording.
    ///   - answer: the person's.
    @discardableResult
    public func recordPermissionPrompt(placement: String, variant: String? = nil, answer: PromptAnswer) -> Receipt {
        track(.permissionPrompt(placement: placement, variant: variant, answer: answer, at: options.clock.now))
    }

    /// Records the state of a Live Activity, as its `activityStateUpdates` and `contentUpdates` give it.
    @discardableResult
    public func record(_ activity: LiveActivity) -> Receipt {
        track(.liveActivity(activity, at: options.clock.now))
    }

    /// Records a token that is not the device's own: to start Live Activities, for widgets, or for a control.
    ///
    /// - Parameters:
    ///   - token: as it came. The service keeps its digest alone.
    ///   - use: what pushes to it do.
    ///   - topic: the APNs topic of such pushes.
    ///   - isSandbox: whether it is a token of APNs' sandbox; the provisioning profile says so unless given.
    @discardableResult
    public func record(token: Data, for use: TokenUse, topic: String?, isSandbox: Bool? = nil) -> Receipt {
        let isSandbox = isSandbox ?? options.provisioning.isSandbox
        return track(.token(token, for: use, topic: topic, isSandbox: isSandbox, at: options.clock.now))
    }
}
