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
    case deviceWalk = "device_walk"
    case skippedNotification = "skipped_notification"
    case categoryVersions = "category_versions"
    case notification
    case notificationAction = "notification_action"
    case notificationEnding = "notification_ending"
    case deviceExtension = "device_extension"
    case liveActivityAccepted = "live_activity_accepted"
    case engagement
    case engagementLatency = "engagement_latency"
    case presence
    case presenceCount = "presence_count"
    case cohortZone = "cohort_zone"
    case cohortStage = "cohort_stage"
    case cohortOutcome = "cohort_outcome"
    case cohortReach = "cohort_reach"
    case deviceWeek = "device_week"
    case settingChange = "setting_change"
    case settingExcess = "setting_excess"
    case variantDay = "variant_day"
    case variantCrossed = "variant_crossed"
    case variantPair = "variant_pair"
    case cohortRemoval = "cohort_removal"
    case cohortExtension = "cohort_extension"
    case cohortAction = "cohort_action"
    case cohortExtensionCount = "cohort_extension_count"
    case cohortExtensionDuration = "cohort_extension_duration"
    case cohortActionCount = "cohort_action_count"
    case cohortActionLatency = "cohort_action_latency"
    case cohortRemovalCount = "cohort_removal_count"
    case repeated
    case deviceToken = "device_token"
    case pushResult = "push_result"
    case notificationRemoval = "notification_removal"
    case notificationExtension = "notification_extension"
    case authorizationRequest = "authorization_request"
    case openSettings = "open_settings"
    case conversion
    case appOpen = "app_open"
    case holdout
    case permissionPrompt = "permission_prompt"
    case liveActivity = "live_activity"
    case liveActivityPush = "live_activity_push"
    // By the server's clock, of which the model knows nothing.
    case received
    case deviceExcess = "device_excess"
    case tokenExcess = "token_excess"
    case tokenEnd = "token_end"
    case tokenRequest = "token_request"
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
        case .notification, .notificationEnding, .liveActivityAccepted: ["device_id", "notification_id", "occurrence"]
        case .notificationAction: ["device_id", "notification_id", "occurrence", "action_id"]
        case .categoryWalk: []
        case .categoryChange: ["category_id", "number"]
        case .categoryVersions: ["category_id", "action_id"]
        case .deviceWalk: ["device_id"]
        case .skippedNotification: ["device_id", "notification_id", "occurrence"]
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
        case .cohortReach: ["bucket", "category", "class"]
        case .deviceWeek: ["device_id", "week"]
        case .settingChange: ["device_id", "setting", "changed_at", "changed_id"]
        case .settingExcess: ["device_id"]
        case .variantDay: ["device_id", "category", "campaign", "variant", "day"]
        case .variantCrossed: ["category", "campaign", "device_id"]
        case .variantPair: ["category", "campaign", "variant", "day", "other_day"]
        case .cohortRemoval: ["device_id", "notification_id", "occurrence", "reason"]
        case .cohortAction: ["device_id", "notification_id", "occurrence", "action_id", "is_dismissal"]
        case .cohortExtension: ["device_id", "notification_id", "occurrence", "at", "id"]
        case .cohortExtensionCount: ["bucket", "app_version", "outcome", "reached", "within"]
        case .cohortExtensionDuration: ["bucket", "app_version", "duration_ms"]
        case .cohortActionCount:
            [
                "bucket", "category", "action_id", "is_dismissal", "app_version", "counts", "response_only", "within",
            ]
        case .cohortActionLatency: ["bucket", "category", "action_id", "is_dismissal", "latency"]
        case .cohortRemovalCount:
            [
                "bucket", "category", "reason", "pending", "delivered", "unstated", "withdrawn", "responded",
                "response_only", "latency",
            ]
        case .deviceToken: ["device_id", "provider", "type", "topic", "environment", "activity_id", "token"]
        case .pushResult: ["bucket", "provider", "status", "reason", "type", "environment", "topic"]
        case .notificationRemoval: ["device_id", "notification_id", "occurrence", "state", "reason"]
        case .notificationExtension: ["device_id", "notification_id", "occurrence", "at", "id"]
        case .authorizationRequest, .openSettings, .conversion, .appOpen, .holdout, .permissionPrompt, .liveActivity,
            .liveActivityPush:
            ["device_id", "at", "id"]
        case .received, .repeated: ["bucket", "kind"]
        case .tokenEvent: ["device_id", "token", "at", "id"]
        case .deviceExcess: ["device_id"]
        case .tokenExcess: ["token"]
        case .tokenEnd: ["device_id", "token"]
        case .tokenRequest: ["device_id", "token", "at", "id"]
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
