extension LawNotification {
    /// One action and the callbacks that told of it.
    struct Action {
        let id: String
        let callbacks: [LawEvent]

        /// A content extension may pass the same press on as often as it was made.
        var inExtension: Int { callbacks.count - elsewhere.count }
        var elsewhere: [LawEvent] { callbacks.filter { $0["delegate"] != "content_extension" } }

        /// Callbacks that told of a press told already.
        var duplicates: Int {
            switch (inExtension, elsewhere.count) {
            case (_, 0): 0
            case (0, let callbacks): callbacks - 1
            case (_, let callbacks): callbacks
            }
        }
    }

    var actions: [Action] {
        Dictionary(grouping: responses) { $0["action_id"]?.string ?? "" }
            .map { Action(id: $0.key, callbacks: $0.value) }
    }

    var duplicateCallbacks: Int { actions.map(\.duplicates).reduce(0, +) }

    var actionRows: [LawRow] {
        actions.map { action in
            var row = keyRow
            row.set("action_id", action.id)
            row.set("first_at", action.callbacks.first?.at)
            row.set("in_extension", action.inExtension)
            row.set("callbacks", action.elsewhere.count)
            row.set("callback_received_at", action.elsewhere.map(\.receivedAt).min())
            row.set("has_text", action.callbacks.contains { $0["text_length"] != nil })
            return row
        }
    }
}
