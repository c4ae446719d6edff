import Foundation

/// Detects from the system's notifications that the app came to the foreground. It reports once each time, however many
/// of them say so.
struct AppOpens {
    enum Signal: Sendable, Hashable {
        case entersForeground(Notilog.AppOpenSource)
        case becomesActive
        case entersBackground
    }

    /// Apps with one scene, several or none post different ones of these. A launch in the background posts none.
    static let signals: [(name: String, signal: Signal)] = [
        ("UISceneWillEnterForegroundNotification", .entersForeground(.scene)),
        ("UIApplicationWillEnterForegroundNotification", .entersForeground(.foreground)),
        ("WKApplicationWillEnterForegroundNotification", .entersForeground(.foreground)),
        ("UIApplicationDidBecomeActiveNotification", .becomesActive),
        ("WKApplicationDidBecomeActiveNotification", .becomesActive),
        ("NSApplicationDidBecomeActiveNotification", .becomesActive),
        ("UIApplicationDidEnterBackgroundNotification", .entersBackground),
        ("WKApplicationDidEnterBackgroundNotification", .entersBackground),
        ("NSApplicationDidResignActiveNotification", .entersBackground),
    ]

    /// If a scene comes to the foreground within this number of seconds after the recorder was created, the process was
    /// started for it. A process that a push started in the background is older by then.
    static let launch: TimeInterval = 10

    private let began: Date
    private var isForeground = false
    private var isFirst = true

    init(began: Date) {
        self.began = began
    }

    /// - Returns: the open that a signal means; `nil` if the app was already in the foreground, or leaves it.
    mutating func open(_ signal: Signal, at date: Date) -> (source: Notilog.AppOpenSource, isCold: Bool)? {
        guard signal != .entersBackground else {
            isForeground = false
            return nil
        }
        guard !isForeground else { return nil }
        isForeground = true
        defer { isFirst = false }
        switch signal {
        case .entersForeground(let source): return (source, isFirst && date.timeIntervalSince(began) < Self.launch)
        // An app without scenes enters no foreground as it is launched: it becomes active.
        default: return (isFirst ? .launch : .foreground, isFirst)
        }
    }
}
