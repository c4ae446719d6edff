/// What a person does with a notification.
enum Action {
    case `default`
    case reply
    case delete
    case accept
    case decline
    case maybe
    case comment
    case commentInApp
    case like
    case save
    case track
    case done
    case snooze

    /// The action's identifier. An old release sends the framework's own constant for the default action.
    func identifier(in release: Release) -> String {
        switch self {
        case .default: release == .old ? "com.apple.UNNotificationDefaultActionIdentifier" : "default"
        case .reply: "com.usernotificationstutorial.reply"
        case .delete: "com.usernotificationstutorial.delete"
        case .accept: "accept"
        case .decline: "decline"
        case .maybe: "maybe"
        case .comment, .commentInApp: "comment"
        case .like: "like"
        case .save: "save"
        case .track: "track"
        case .done: "done"
        case .snooze: "snooze"
        }
    }

    /// Whether the system brings the app to the foreground.
    var opensApp: Bool {
        switch self {
        case .default, .commentInApp, .like, .track: true
        case .reply, .delete, .accept, .decline, .maybe, .comment, .save, .done, .snooze: false
        }
    }

    var takesText: Bool {
        switch self {
        case .reply, .comment, .commentInApp: true
        case .default, .delete, .accept, .decline, .maybe, .like, .save, .track, .done, .snooze: false
        }
    }
}
