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

    /// The outcome, once.
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

    /// What became of a content. One that says nothing any more is filtered.
    static func result(before: ContentWords, after: ContentWords) -> Notilog.ExtensionOutcome.Result {
        after.isSilent ? .filtered : before == after ? .unmodified : .modified
    }
}

/// What tells one content from another. Compared in the extension, and kept nowhere.
struct ContentWords: Equatable {
    /// Title, subtitle and body, then category, thread and target.
    var words: [String]
    var attachments: [String]
    var badge: Int?
    /// Apple's, which says by itself whether another is the same.
    var sound: NSObject?
    var level: UInt
    var relevance: Double
    var digest: UInt64?

    /// Whether there is nothing to show or hear.
    var isSilent: Bool { words.prefix(3).allSatisfy(\.isEmpty) && sound == nil && badge == nil }
}
