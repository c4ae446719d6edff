public import Foundation

/// What came of notifications: opens of the app, what the product wants, the app's own questions, Live Activities.
extension Notilog.Event {
    /// The app came to the foreground.
    ///
    /// - Parameters:
    ///   - source: the callback that told.
    ///   - isCold: whether the process was started for it.
    ///   - notificationID: the notification whose tap opened the app, if one did.
    ///   - date: when.
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

    /// Something that the product wants happened.
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
    ///   - placement: where in the app.
    ///   - variant: which wording.
    ///   - answer: the person's.
    ///   - date: when.
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

    /// The app got a token for a use of its own: to start Live Activities, for widgets, or for a control.
    ///
    /// - Parameters:
    ///   - token: as it came; the service keeps its digest alone.
    ///   - use: what pushes to it do.
    ///   - topic: the APNs topic of such pushes.
    ///   - isSandbox: whether it is a token of APNs' sandbox.
    ///   - date: when.
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
