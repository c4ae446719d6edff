/// What a notification is about, and how people take it.
enum Category {
    case message
    case invite
    case order
    case news
    case promotion
    case reminder
    /// A location nearby: carries no category.
    case nearby

    /// The category's id as registered; nil if there is none.
    var identifier: String? {
        switch self {
        case .message: "com.usernotificationstutorial.message"
        case .invite: "event-invite"
        case .order: "order-update"
        case .news: "news"
        case .promotion: "promotion"
        case .reminder: "daily-reminder"
        case .nearby: nil
        }
    }

    /// The share of those reached that responds, for the average person: messages that the person requested or that come from
    /// somebody, near 14 %; messages to everybody near 4 %. An order has up to four chances, one a stage.
    var response: Double {
        switch self {
        case .message: 0.143
        case .invite: 0.155
        case .order: 0.055
        case .news: 0.053
        case .promotion: 0.045
        case .reminder: 0.09
        case .nearby: 0.07
        }
    }

    /// Median time to the response in minutes, by day.
    var responseMinutes: Double {
        switch self {
        case .message: 3
        case .invite: 25
        case .order: 9
        case .news: 18
        case .promotion: 45
        case .reminder: 5
        case .nearby: 4
        }
    }

    /// The part of the unanswered that is dismissed rather than left or cleared with all others.
    var dismissal: Double {
        switch self {
        case .message, .order: 0.1
        case .invite, .reminder: 0.15
        case .news: 0.22
        case .promotion: 0.2
        case .nearby: 0.1
        }
    }

    /// How much one that is not answered tires.
    var weariness: Double {
        switch self {
        case .message: 0.3
        case .invite, .order, .reminder: 0.5
        case .news: 1
        case .promotion: 2
        case .nearby: 1.5
        }
    }

    /// Whether a dismissal calls the app: where the registered category has `custom_dismiss_action`.
    func tellsDismissal(in release: Release) -> Bool {
        switch self {
        case .news: true
        case .reminder: release > .old
        case .invite: release >= .new
        case .message, .order, .promotion, .nearby: false
        }
    }

    /// Whether the sender sets `mutable-content`.
    var isMutable: Bool { self == .news || self == .message }

    /// The action that a person takes. `cancel` of news is never among them: nobody presses it.
    func action(in release: Release, _ random: inout DeterministicGenerator) -> Action {
        let draw = random.unit()
        switch self {
        case .message:
            return draw < 0.6 ? .default : draw < 0.95 ? .reply : .delete
        case .invite:
            if release >= .new, draw < 0.09 { return .maybe }
            return draw < 0.5 ? .default : draw < 0.78 ? .accept : draw < 0.92 ? .decline : .comment
        case .order:
            return release > .old && draw < 0.22 ? .track : .default
        case .news:
            if release >= .new, draw < 0.08 { return .save }
            return draw < 0.8 ? .default : draw < 0.93 ? .like : .commentInApp
        case .reminder:
            return draw < 0.25 ? .default : draw < 0.8 ? .done : .snooze
        case .promotion, .nearby:
            return .default
        }
    }
}
