/// One event as its sender hands it in. A line that is sent again is an event of its own, with equal bytes.
public struct SimulatedEvent: Sendable {
    /// The event's kind, as in its line.
    public let kind: SimulatedKind
    /// Whose key it is sent with.
    public let source: SimulatedSource
    /// The event as one JSON object in UTF-8, without a line feed.
    public let line: ArraySlice<UInt8>
    /// The true time of sending: microseconds since 1970-01-01T00:00:00Z.
    public let sentAt: Int64
    /// How far the sender's clock is ahead of the true time, in microseconds; negative where it is behind, 0 where it is
    /// right. A sender over HTTP adds it to its own clock for `Notilog-Sent-At`. Few distinct values occur, so that
    /// events can be sent in batches by skew.
    public let clockSkew: Int64
    /// Whether the same line was sent before, because its sender had no answer.
    public let isRetry: Bool
}

/// The kinds of event.
public enum SimulatedKind: String, CaseIterable, Sendable {
    /// A notification was asked for, by the app or by a provider.
    case request
    /// It reached the device.
    case delivery
    /// It was shown, or deliberately not.
    case presentation
    /// The person acted.
    case actionResponse = "action_response"
    /// The person dismissed it, which is told only where the category has `custom_dismiss_action`.
    case dismissal
    /// It left the pending requests or the delivered list.
    case removal
    /// The person was asked for permission.
    case authorizationRequest = "authorization_request"
    /// The person opened the app's notification settings from the system's.
    case openSettings = "open_settings"
    /// One whole `UNNotificationSettings`.
    case settings
    /// A device token was registered, or could not be.
    case token
    /// The provider API's answer to a push.
    case pushResult = "push_result"
    /// The app registered its categories.
    case categoryRegistration = "category_registration"
    /// The app came to the foreground.
    case appOpen = "app_open"
    /// The person bought something.
    case conversion
    /// The device was chosen for a campaign and deliberately not sent it.
    case holdout
    /// The app asked in its own words before the system did.
    case permissionPrompt = "permission_prompt"
    /// A Live Activity changed its state.
    case liveActivity = "live_activity"
}

/// Who sends an event, and so which scope its key needs.
public enum SimulatedSource: Sendable {
    /// The app on the device: a key of scope `write`.
    case app
    /// The sender of pushes: a key of scope `provider`.
    case provider
}
