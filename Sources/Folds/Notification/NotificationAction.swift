/// A distinct action taken on a notification.
package struct NotificationAction: Equatable, Sendable {
    package var action: Symbol
    package var firstAt: Moment
    /// Callbacks to a content extension, each a press of its own; the others, of which one is no duplicate.
    package var inExtension: Int32
    package var callbacks: Int32
    /// It carried the person's text (UNTextInputNotificationResponse).
    package var hasText: Bool
    /// When the server received the first of `callbacks`.
    package var callbackReceivedAt: Moment

    package init(
        action: Symbol,
        firstAt: Moment,
        inExtension: Int32,
        callbacks: Int32,
        hasText: Bool,
        callbackReceivedAt: Moment
    ) {
        self.action = action
        self.firstAt = firstAt
        self.inExtension = inExtension
        self.callbacks = callbacks
        self.hasText = hasText
        self.callbackReceivedAt = callbackReceivedAt
    }

    /// What a response says.
    package init(_ event: Event) {
        let isInExtension = event.flags.contains(.inExtension)
        action = event.action
        firstAt = event.at
        inExtension = isInExtension ? 1 : 0
        callbacks = isInExtension ? 0 : 1
        hasText = event.flags.contains(.hasText)
        callbackReceivedAt = isInExtension ? .none : event.receivedAt
    }

    package mutating func merge(_ other: NotificationAction) throws(FoldError) {
        firstAt = min(firstAt, other.firstAt)
        inExtension = try inExtension.adding(other.inExtension)
        callbacks = try callbacks.adding(other.callbacks)
        hasText = hasText || other.hasText
        callbackReceivedAt = min(callbackReceivedAt, other.callbackReceivedAt)
    }

    /// Callbacks that repeat a press.
    package var duplicates: Int32 { callbacks == 0 ? 0 : inExtension == 0 ? callbacks - 1 : callbacks }
    /// Presses: each callback to a content extension, else one.
    package var presses: Int32 { callbacks == 0 || inExtension > 0 ? inExtension : 1 }
    /// When the server received the press that is no duplicate; none where a content extension handled it.
    package var pressReceivedAt: Moment { inExtension == 0 ? callbackReceivedAt : .none }
}

/// An action as it was before a batch, and as it is.
package struct ActionChange: Sendable {
    package var before: NotificationAction?
    package var after: NotificationAction

    /// - Parameters:
    ///   - new: the action in the events of the batch.
    ///   - known: the stored action.
    package init(_ new: NotificationAction, known: NotificationAction?) throws(FoldError) {
        before = known
        after = new
        if let known { try after.merge(known) }
    }
}
