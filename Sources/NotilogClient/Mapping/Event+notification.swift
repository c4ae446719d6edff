public import Foundation
import NotificationEvents

/// What happened to one notification. The table in <doc:Mappings> has these names on the left.
extension Notilog.Event {
    /// A request was added, or adding it failed (Apple: `UNUserNotificationCenter.add(_:)`).
    ///
    /// - Parameter error: the error of `add`.
    public static func request(_ request: Notilog.Request, error: (any Error)? = nil, at date: Date) -> Self {
        let content = request.content
        return Self("request", at: date)
            .about(request)
            .with("origin", "app")
            // A repeating request is a schedule, whose firings have dates of their own.
            .with("scheduled_for", request.trigger.repeats ? nil : request.trigger.nextDate)
            .with("alerting", content.isAlerting)
            .with("error", error.map { Failure($0).name })
            .with("relevance_score", content.relevanceScore.map { .number($0) })
            .with("badge", content.badge.map { .integer(Int64($0)) })
            .with("sound", content.sound?.rawValue ?? "none")
            .with("attachments", content.attachments.isEmpty ? nil : .list(content.attachments))
    }

    /// A notification reached the device.
    public static func delivery(
        _ notification: Notilog.Delivered,
        source: Notilog.DeliverySource,
        outcome: Notilog.ExtensionOutcome? = nil,
        at date: Date
    ) -> Self {
        Self("delivery", at: date).about(notification)
            .with("source", source.rawValue)
            .with("alerting", notification.request.content.isAlerting)
            .with("extension", outcome?.value)
            // The vocabulary's outcome says what became of the content; this says why.
            .with("attributes", outcome?.failure.map { ["extension_failure": .string($0)] })
    }

    /// The app showed a notification in the foreground, or chose not to (Apple: `willPresent` and its answer).
    ///
    /// - Parameter options: the raw value of `UNNotificationPresentationOptions`.
    public static func presentation(_ notification: Notilog.Delivered, options: UInt, at date: Date) -> Self {
        Self("presentation", at: date).about(notification)
            .with("surface", "foreground")
            .with("options", Vocabulary.names(options, "options", of: .presentation))
    }

    /// A content extension showed a notification, or the app did in its own view.
    public static func presentation(_ notification: Notilog.Delivered, inApp: Bool, at date: Date) -> Self {
        Self("presentation", at: date).about(notification).with("surface", inApp ? "in_app" : "expanded")
    }

    /// The person responded. A dismissal is a separate kind of event.
    ///
    /// - Parameter sendsText: whether the typed text is sent in addition to its length.
    public static func response(
        _ response: Notilog.Response,
        by callback: Notilog.Callback?,
        appState: Notilog.AppState? = nil,
        sendsText: Bool = false,
        at date: Date
    ) -> Self {
        if response.actionIdentifier == ActionIdentifier.systemDismiss {
            return Self("dismissal", at: date).about(response.notification)
        }
        let isDefault = response.actionIdentifier == ActionIdentifier.systemDefault
        return Self("action_response", at: date).about(response.notification)
            .with("action_id", isDefault ? ActionIdentifier.opened : response.actionIdentifier)
            // Unicode scalars, as the service counts.
            .with("text_length", response.text.map { .integer(Int64($0.unicodeScalars.count)) })
            .with("text", sendsText ? response.text : nil)
            .with("app_state", appState?.rawValue)
            .with("delegate", callback?.rawValue)
    }

    /// Why a notification was removed.
    public enum RemovalReason: String, Sendable {
        /// Another notification with the same identifier replaced it.
        case replaced
        /// The app removed it.
        case removedByApp = "removed_by_app"
        /// It left the delivered list between two sweeps.
        case gone
    }

    /// The app removed a notification, or it left the delivered list.
    ///
    /// - Parameter isPending: whether it had not been delivered yet.
    public static func removal(
        _ known: Notilog.KnownNotification,
        reason: RemovalReason,
        isPending: Bool,
        at date: Date
    ) -> Self {
        Self("removal", at: date, fields: known.fields)
            .with("reason", reason.rawValue)
            .with("state", isPending ? "pending" : "delivered")
    }

    /// Identifies the notification, with what is known about it there.
    private func about(_ request: Notilog.Request) -> Self {
        let content = request.content
        return with("notification_id", content.mark?.id)
            .with("request_identifier", request.identifier)
            .with("category_id", content.categoryID)
            .with("thread_id", content.threadID)
            .with("trigger", request.trigger.value)
            .with("interruption_level", content.levelName)
            .with("campaign_id", content.mark?.campaignID)
            .with("variant", content.mark?.variant)
    }

    private func about(_ notification: Notilog.Delivered) -> Self {
        about(notification.request)
            .with("delivered_at", notification.date)
            .with("occurrence", notification.occurrence)
    }
}

extension Notilog.ExtensionOutcome {
    var value: Notilog.Value {
        [
            "outcome": .string(result.rawValue),
            "duration_ms": .integer(Int64((min(max(duration, 0), 86_400) * 1000).rounded())),
            "attachments_loaded": .integer(Int64(attachmentsLoaded)),
            "attachments_failed": .integer(Int64(attachmentsFailed)),
        ]
    }
}

/// An error in the words of the vocabulary.
struct Failure {
    let name: String

    /// The case of a `UNError` in snake_case, or the domain and number of another error. It has no message, because a
    /// message may contain anything.
    init(_ error: any Error) {
        let error = error as NSError
        if error.domain == "UNErrorDomain", let name = Vocabulary.name(error.code, "error", of: .request)?.text {
            self.name = name
        } else {
            name = "\(error.domain) \(error.code)"
        }
    }
}
