extension Release {
    /// The categories that the app registers at launch, as the JSON of a category_registration.
    var categories: [UInt8] {
        switch self {
        case .old: Self.oldCategories
        case .current: Self.currentCategories
        case .new, .planted: Self.newCategories
        }
    }

    private static let oldCategories = array([news(), invite(), message])
    private static let currentCategories = array([news(), invite(), message, order, promotion, reminder])
    private static let newCategories = array([
        news(more: [button("save", "Save for later")]),
        invite(options: ["custom_dismiss_action"], more: [button("maybe", "Maybe")]),
        message, order, promotion, reminder,
    ])

    private static func news(more: [String] = []) -> String {
        category(
            .news,
            options: ["custom_dismiss_action"],
            actions: [
                textInput("comment", "评论", options: ["foreground"]),
                button("like", "点个赞", options: ["foreground"]),
                button("cancel", "取消", options: ["destructive"]),
            ] + more
        )
    }

    private static func invite(options: [String] = [], more: [String] = []) -> String {
        category(
            .invite,
            options: options,
            actions: [button("accept", "Accept"), button("decline", "Decline"), textInput("comment", "Comment")] + more
        )
    }

    private static let message = category(
        .message,
        actions: [
            textInput("com.usernotificationstutorial.reply", "Reply"),
            button(
                "com.usernotificationstutorial.delete",
                "Delete",
                options: ["authentication_required", "destructive"]
            ),
        ]
    )
    private static let order = category(
        .order,
        options: ["hidden_previews_show_title"],
        actions: [button("track", "Track", options: ["foreground"])]
    )
    private static let promotion = category(.promotion)
    private static let reminder = category(
        .reminder,
        options: ["custom_dismiss_action"],
        actions: [button("done", "Done"), button("snooze", "Snooze")]
    )

    private static func category(_ category: Category, options: [String] = [], actions: [String] = []) -> String {
        "{\"id\":\"\(category.identifier ?? "")\",\"options\":\(names(options)),\"actions\":[\(joined(actions))]}"
    }

    private static func button(_ id: String, _ title: String, options: [String] = []) -> String {
        "{\"id\":\"\(id)\",\"title\":\"\(title)\",\"type\":\"button\",\"options\":\(names(options))}"
    }

    private static func textInput(_ id: String, _ title: String, options: [String] = []) -> String {
        "{\"id\":\"\(id)\",\"title\":\"\(title)\",\"type\":\"text_input\",\"options\":\(names(options)),"
            + "\"text_button_title\":\"\(title)\"}"
    }

    private static func names(_ names: [String]) -> String { "[\(joined(names.map { "\"\($0)\"" }))]" }

    private static func joined(_ parts: [String]) -> String {
        parts.reduce("") { $0.isEmpty ? $1 : $0 + "," + $1 }
    }

    private static func array(_ categories: [String]) -> [UInt8] { Array("[\(joined(categories))]".utf8) }
}
