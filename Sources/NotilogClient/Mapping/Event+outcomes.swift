public import Foundation

/// What followed notifications: opens of the app, conversions, the app's own questions, and Live Activities.
extension Notilog.Event {
    /// The app came to the foreground.
    ///
    /// - Parameters:
    ///   - source: the callback that reported it.
    ///   - isCold: whether the process was started for it.
    ///   - notificationID: the notification whose tap opened the app, if there was one.
    ///   - date: when it happened.
    public static func appOpen(
        _ source: Notilog.AppOpenSource,
        isCold: Bool? = nil,
        notificationID: String? = nil,
        at date: Date
    ) -> Self {
        Self("app_open", at: date)
            .with("source", source.rawValue)
            .with("cold", isCold)
            .with("notification_id", notificationID)
    }

    /// A conversion happened: an event that the product wants.
    public static func conversion(_ conversion: Notilog.Conversion, at date: Date) -> Self {
        Self("conversion", at: date)
            .with("name", conversion.name)
            .with("value", conversion.amount.map { .integer($0.value) })
            .with("currency", conversion.amount?.currency)
            .with("order_id", conversion.orderID)
    }

    /// The app asked its own question before the system's.
    ///
    /// - Parameters:
    ///   - placement: the place in the app.
    ///   - variant: the wording.
    ///   - answer: the person's answer.
    ///   - date: when it happened.
    public static func permissionPrompt(
        placement: String,
        variant: String? = nil,
        answer: Notilog.PromptAnswer,
        at date: Date
    ) -> Self {
        Self("permission_prompt", at: date)
            .with("placement", placement)
            .with("variant", variant)
            .with("answer", answer.rawValue)
    }

    /// A Live Activity changed its state (Apple: `ActivityState`).
    public static func liveActivity(_ activity: Notilog.LiveActivity, at date: Date) -> Self {
        Self("live_activity", at: date)
            .with("activity_id", activity.id)
            .with("attributes_type", activity.attributesType)
            .with("state", activity.state.rawValue)
            .with("started_by", activity.startedBy?.rawValue)
            .with("updates_by", activity.updatesBy?.rawValue)
            .with("channel_id", activity.channelID)
    }

    /// The app received a token for a special use: for starting Live Activities, for widgets, or for a control.
    ///
    /// - Parameters:
    ///   - token: the token as it came. The service keeps only its digest.
    ///   - use: the purpose of pushes to it.
    ///   - topic: the APNs topic of such pushes.
    ///   - isSandbox: whether the token belongs to APNs' sandbox.
    ///   - date: when it happened.
    public static func token(
        _ token: Data,
        for use: Notilog.TokenUse,
        topic: String?,
        isSandbox: Bool,
        at date: Date
    ) -> Self {
        let event = Self.token(token, topic: topic, isSandbox: isSandbox, at: date)
        return switch use {
        case .startingActivities(let type): event.with("type", "push_to_start").with("attributes_type", type)
        case .widgets: event.with("type", "widget")
        case .control(let kind): event.with("type", "control").with("control_kind", kind)
        }
    }
}
