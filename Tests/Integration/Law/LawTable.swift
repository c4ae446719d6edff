/// A table or view that law 1 is about.
enum LawTable: String, CaseIterable, Sendable {
    case devicePeriod = "device_period"
    case deviceSettings = "device_settings"
    case deviceSettingsHistory = "device_settings_history"
    case category
    case categoryAction = "category_action"
    // Empty once everything is applied.
    case categoryWalk = "category_walk"
    case categoryChange = "category_change"
    case notification
    case notificationAction = "notification_action"
    case notificationEnding = "notification_ending"
    case deviceExtension = "device_extension"
    case engagement
    case engagementLatency = "engagement_latency"
    case presence
    case presenceCount = "presence_count"
    case cohortZone = "cohort_zone"
    case cohortStage = "cohort_stage"
    case cohortOutcome = "cohort_outcome"
    case deviceWeek = "device_week"
    case cohortRemoval = "cohort_removal"
    case cohortExtension = "cohort_extension"
    case cohortAction = "cohort_action"
    case repeated
    case deviceToken = "device_token"
    case pushResult = "push_result"
    case notificationRemoval = "notification_removal"
    case notificationExtension = "notification_extension"
    case authorizationRequest = "authorization_request"
    case openSettings = "open_settings"
    // By the server's clock, of which the model knows nothing.
    case received
    case deviceExcess = "device_excess"
    case tokenExcess = "token_excess"
    // What device_token is made of; the model knows only what comes out, as it does of the last four of a cohort.
    case tokenEvent = "token_event"
    case tokenAccepted = "token_accepted"

    /// What tells two rows apart, beside the app.
    var key: [String] {
        switch self {
        case .devicePeriod: ["device_id", "series", "first_at", "first_id"]
        case .deviceSettings: ["device_id"]
        case .deviceSettingsHistory: ["device_id", "first_at"]
        case .category: ["app_version", "category_id"]
        case .categoryAction: ["app_version", "category_id", "action_id"]
        case .notification, .notificationEnding: ["device_id", "notification_id", "occurrence"]
        case .notificationAction: ["device_id", "notification_id", "occurrence", "action_id"]
        case .categoryWalk: []
        case .categoryChange: ["category_id", "number"]
        case .deviceExtension: ["device_id"]
        case .engagement: ["dimension", "grain", "bucket", "category", "value"]
        case .engagementLatency:
            [
                "dimension", "grain", "bucket", "category", "value", "outcome", "app_opened", "reached", "timed",
                "latency",
            ]
        case .presence: ["device_id", "category", "what", "day"]
        case .presenceCount: ["day", "what", "category", "previous_day"]
        case .cohortZone: ["bucket", "time_zone", "within"]
        case .cohortStage: ["bucket", "stages", "within"]
        case .cohortOutcome: ["bucket", "shown_day", "category", "outcome", "latency"]
        case .deviceWeek: ["device_id", "week"]
        case .cohortRemoval: ["device_id", "notification_id", "occurrence", "reason"]
        case .cohortAction: ["device_id", "notification_id", "occurrence", "action_id", "is_dismissal"]
        case .cohortExtension: ["device_id", "notification_id", "occurrence", "at", "id"]
        case .deviceToken: ["device_id", "provider", "type", "topic", "environment", "activity_id", "token"]
        case .pushResult: ["bucket", "provider", "status", "reason", "type", "environment", "topic"]
        case .notificationRemoval: ["device_id", "notification_id", "occurrence", "state", "reason"]
        case .notificationExtension: ["device_id", "notification_id", "occurrence", "at", "id"]
        case .authorizationRequest, .openSettings: ["device_id", "at", "id"]
        case .received, .repeated: ["bucket", "kind"]
        case .tokenEvent: ["device_id", "token", "at", "id"]
        case .deviceExcess: ["device_id"]
        case .tokenExcess: ["token"]
        case .tokenAccepted: ["provider", "token"]
        }
    }

    /// Columns that keep books of how a row came about; nil where the model knows every column.
    var columnsOfTheModel: [String]? {
        switch self {
        case .notification: LawNotification.columns
        case .notificationEnding: LawNotification.endingColumns
        case .received, .tokenEvent, .tokenAccepted, .cohortStage, .cohortRemoval, .cohortExtension, .cohortAction: []
        default: nil
        }
    }
}
