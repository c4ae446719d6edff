import Foundation

/// How far a service extension has come with one notification.
struct ExtensionProgress {
    let began: Date
    var loaded = 0
    var failed = 0
    var failure: String?
    private var isOver = false

    init(began: Date) {
        self.began = began
    }

    /// Returns the outcome once.
    mutating func end(_ result: Notilog.ExtensionOutcome.Result, at date: Date) -> Notilog.ExtensionOutcome? {
        guard !isOver else { return nil }
        isOver = true
        var outcome = Notilog.ExtensionOutcome(
            result,
            duration: max(0, date.timeIntervalSince(began)),
            attachmentsLoaded: loaded,
            attachmentsFailed: failed
        )
        outcome.failure = failure
        return outcome
    }

    /// What became of the content. Content that no longer says anything is filtered.
    static func result(before: ContentWords, after: ContentWords) -> Notilog.ExtensionOutcome.Result {
        after.isSilent ? .filtered : before == after ? .unmodified : .modified
    }
}

/// Distinguishes one content from another. It is compared in the extension and stored nowhere.
struct ContentWords: Equatable {
    /// Title, subtitle and body, then category, thread and target.
    var words: [String]
    var attachments: [String]
    var badge: Int?
    /// Apple's value, which can compare itself with another.
    var sound: NSObject?
    var level: UInt
    var relevance: Double
    var fingerprint: UInt64?

    /// Whether there is nothing to show or play.
    var isSilent: Bool { words.prefix(3).allSatisfy(\.isEmpty) && sound == nil && badge == nil }
}
