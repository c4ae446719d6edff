import NotificationEvents

extension Notilog {
    /// The recorded part of a `UNNotificationCategory`.
    public struct Category: Sendable, Hashable {
        /// `identifier`
        public var identifier: String
        /// The raw value of `options`.
        public var options: UInt
        /// `intentIdentifiers`
        public var intentIdentifiers: [String]
        /// The identifiers of the actions in the minimal context, which a banner of iOS 8 and 9 shows.
        public var minimalActions: [String]
        /// `actions`, in the order shown.
        public var actions: [Action]

        /// Creates a category.
        public init(
            _ identifier: String,
            options: UInt = 0,
            intentIdentifiers: [String] = [],
            minimalActions: [String] = [],
            actions: [Action] = []
        ) {
            self.identifier = identifier
            self.minimalActions = minimalActions
            self.options = options
            self.intentIdentifiers = intentIdentifiers
            self.actions = actions
        }

        /// The recorded part of a `UNNotificationAction` or `UNTextInputNotificationAction`.
        public struct Action: Sendable, Hashable {
            /// `identifier`
            public var identifier: String
            /// `title`: the button's label. It comes from the app, not from the person.
            public var title: String
            /// The raw value of `options`.
            public var options: UInt
            /// `textInputButtonTitle`; `nil` for a plain button.
            public var textButtonTitle: String?
            /// `textInputPlaceholder`; `nil` for a plain button.
            public var textPlaceholder: String?

            /// Creates an action.
            public init(
                _ identifier: String,
                title: String,
                options: UInt = 0,
                textButtonTitle: String? = nil,
                textPlaceholder: String? = nil
            ) {
                self.identifier = identifier
                self.title = title
                self.options = options
                self.textButtonTitle = textButtonTitle
                self.textPlaceholder = textPlaceholder
            }

            /// Whether the person can enter text.
            var isTextInput: Bool { textButtonTitle != nil || textPlaceholder != nil }
        }
    }
}

extension Notilog.Category {
    var value: Notilog.Value {
        var fields: [String: Notilog.Value] = [
            "id": .string(identifier),
            "options": Vocabulary.names(options, "categories/options", of: .categoryRegistration),
            "intent_identifiers": .list(intentIdentifiers.map { .string($0) }),
            "actions": .list(actions.map(\.value)),
        ]
        if !minimalActions.isEmpty { fields["minimal_actions"] = .list(minimalActions.map { .string($0) }) }
        return .object(fields)
    }
}

extension Notilog.Category.Action {
    fileprivate var value: Notilog.Value {
        var fields: [String: Notilog.Value] = [
            "id": .string(identifier),
            "title": .string(title),
            "type": isTextInput ? "text_input" : "button",
            "options": Vocabulary.names(options, "categories/actions/options", of: .categoryRegistration),
        ]
        if let textButtonTitle { fields["text_button_title"] = .string(textButtonTitle) }
        if let textPlaceholder { fields["text_placeholder"] = .string(textPlaceholder) }
        return .object(fields)
    }
}
