/// The future events of one device, the next one at the end of the array.
struct Agenda {
    struct Item {
        let time: Int64
        let step: Step
    }

    enum Step {
        /// The device is heard of for the first time: by an update of the app that was there before, or by an install.
        case arrive(existed: Bool)
        /// The person opens the app.
        case session
        /// The person is asked for permission.
        case ask
        /// A provider sends a push.
        case push(Push)
        /// The person was chosen for a campaign, and is not sent it.
        case holdOut(Campaign)
        case purchase
        /// Something is done with a notification that lies on the device.
        case react(serial: UInt32, Reaction)
        /// A local notification falls due.
        case fire(LocalNotification)
        case updateApp
        case updatePlanted
        case updateSystem
        case travel(home: Bool)
        case offline(until: Int64)
        case refreshToken
        case change(Settings)
        case uninstall(returning: Bool)
        case reinstall
    }

    enum Reaction {
        case respond
        case dismiss
        case clear
    }

    private var items: [Item] = []

    mutating func add(_ step: Step, at time: Int64) {
        var index = items.count
        while index > 0, items[index - 1].time <= time { index -= 1 }
        items.insert(Item(time: time, step: step), at: index)
    }

    /// The next thing to happen before `end`.
    mutating func next(before end: Int64) -> Item? {
        guard let last = items.last, last.time < end else { return nil }
        return items.removeLast()
    }
}

/// A push that a provider is to send.
enum Push {
    case message(thread: UInt64)
    case invite
    /// A stage of an order: each replaces the one before on the device.
    case order(number: Int, stage: Int)
    case news(day: Int, evening: Bool)
    case promotion(Campaign)
    case background
}

/// A local notification that the app has asked for.
enum LocalNotification {
    /// A firing of the repeating request.
    case reminder(generation: Int)
    case snooze
    /// Asked for when the person left something unfinished.
    case unfinished(serial: Int)
    case nearby
}
