import Reports

extension ReportModel {
    private struct Button: Hashable {
        let category: String
        let action: String
        var isDismissal = false

        var key: [String] { [category, action, isDismissal ? "dismissal" : "action"] }
    }

    /// An action taken on a notification.
    private struct Taken {
        let button: Button
        let presses: Int
        let responseOnly: Bool
        /// Whether the notification was reached and offered it.
        let isCounted: Bool
        let since: Int64
        let latency: Int64?
    }

    private func buttons(_ definitions: [LawValue]) -> [LawValue] {
        definitions.flatMap { $0["actions"]?.array ?? [] }
    }

    private func offers(_ notification: Counted, _ action: String) -> Bool {
        let definitions = law.categories.definitions(
            of: notification.one.category,
            version: notification.one.context?["app_version"]?.string
        )
        return buttons(definitions).contains { $0["id"]?.string == action }
    }

    private func taken(_ notification: Counted) -> [Taken] {
        let one = notification.one
        func taken(_ button: Button, _ presses: Int, _ isCounted: Bool, at time: Int64) -> Taken {
            Taken(
                button: button,
                presses: presses,
                responseOnly: one.responseOnly,
                isCounted: isCounted,
                since: max(0, time - (one.shownAt ?? notification.cohort)),
                latency: one.responseOnly ? nil : one.shownAt.map { max(0, time - $0) }
            )
        }
        var all = one.actions.map { action in
            taken(
                Button(category: notification.category, action: action.id),
                action.elsewhere.count == 0 || action.inExtension > 0 ? action.inExtension : 1,
                notification.isReached && (action.id == "default" || offers(notification, action.id)),
                at: action.callbacks[0].at
            )
        }
        if let dismissed = one.dismissedAt {
            let button = Button(category: notification.category, action: "dismiss", isDismissal: true)
            all.append(taken(button, 1, one.dismissObservable, at: dismissed))
        }
        return all
    }

    /// The registered buttons of a category, each as the newest registration that has it says; none that cannot be told from a tap.
    private func registered(_ category: String) -> [String: LawRow] {
        func order(_ row: LawRow) -> (Int64, String, String) {
            (Int64(row["registered_at"] ?? "") ?? 0, row["device_id"] ?? "", row["id"] ?? "")
        }
        let versions = law.categories.rows.filter { $0["category_id"] == category }.sorted { order($0) < order($1) }
        var buttons: [String: LawRow] = [:]
        for version in versions {
            for action in law.categories.actionRows
            where action["category_id"] == category && action["app_version"] == version["app_version"]
                && action["action_id"] != "default"
            {
                buttons[action["action_id"] ?? ""] = action
            }
        }
        return buttons
    }

    func actions(_ question: ModelQuestion) -> [Record] {
        let rows = byInterval(passing(question), question, at: \.cohort).map { interval, notifications in
            var offered: [Button: Int?] = [:]
            for (category, notifications) in Dictionary(grouping: notifications, by: \.category) {
                offered[Button(category: category, action: "default")] = notifications.count(where: \.isReached)
                offered[Button(category: category, action: "dismiss", isDismissal: true)] =
                    notifications.count(where: \.one.dismissObservable)
                for action in registered(category).keys {
                    offered[Button(category: category, action: action)] =
                        notifications.count { $0.isReached && offers($0, action) }
                }
            }
            if question.interval == "none" {
                for category in Set(law.categories.rows.compactMap { $0["category_id"] })
                where question.filters["category"]?.contains(category) != false {
                    for action in registered(category).keys {
                        let button = Button(category: category, action: action)
                        if offered[button] == nil { offered[button] = 0 }
                    }
                }
            }
            let taken = Dictionary(grouping: notifications.flatMap(self.taken), by: \.button)
            for button in taken.keys where offered[button] == nil { offered[button] = .some(nil) }
            return (
                interval: interval,
                buttons: offered.map { button, offered in
                    let all = taken.filter { $0.key.category == button.category }.values.joined()
                    let record = actionRecord(
                        button,
                        offered,
                        taken[button] ?? [],
                        Array(all),
                        question.window.microseconds
                    )
                    return (key: button.key, record: record)
                }
            )
        }
        func number(_ record: Record, _ name: String) -> Int? {
            if case .integer(let number)? = record[name] { Int(number) } else { nil }
        }
        let kept = KeptKeys(
            rows.flatMap { row in
                row.buttons.map { ($0.key, number($0.record, "offered") ?? number($0.record, "notifications") ?? 0) }
            },
            limit: question.limit
        )
        return rows.flatMap { row in
            Dictionary(grouping: row.buttons) { kept.own($0.key) }.map { own, buttons in
                guard own == nil else {
                    return record(row.interval, question, buttons[0].record.merging(["other": .bool(false)]) { $1 })
                }
                // Counts are added up, and nothing else can be.
                var values = buttons[0].record.mapValues { _ in ReportValue.null }
                for name in ["offered", "taken_in_window", "notifications", "response_only", "presses"] {
                    let numbers = buttons.compactMap { number($0.record, name) }
                    values[name] = numbers.isEmpty ? .null : .count(numbers.reduce(0, +))
                }
                let (taken, offered) = (number(values, "taken_in_window") ?? 0, number(values, "offered") ?? 0)
                values["rate"] = .rate(taken, offered)
                values["rate_low"] = .wilson(taken, offered, isLow: true)
                values["rate_high"] = .wilson(taken, offered, isLow: false)
                values["other"] = .bool(true)
                return record(row.interval, question, values)
            }
        }
    }

    private func actionRecord(
        _ button: Button,
        _ offered: Int?,
        _ taken: [Taken],
        _ all: [Taken],
        _ window: Int64
    ) -> Record {
        let isKnown = !button.isDismissal || (offered ?? 0) > 0 || !taken.isEmpty
        let timely = taken.filter { $0.since <= window }
        let successes = timely.count(where: \.isCounted)
        let (known, alone) = (taken.filter { !$0.responseOnly }, taken.count(where: \.responseOnly))
        let isButton = !button.isDismissal && button.action != "default"
        let definition = isButton ? registered(button.category)[button.action] : nil
        let latencies = timely.compactMap(\.latency)
        func flag(_ name: String) -> ReportValue { definition.map { .bool($0[name] == "true") } ?? .null }
        return [
            "category": .name(button.category), "action": .text(button.action),
            "offered": offered.map { .count($0) } ?? .null,
            "taken_in_window": offered == nil ? .null : .count(successes),
            "notifications": isKnown ? .count(known.count) : .null, "response_only": .count(alone),
            "presses": isKnown ? .count(known.map(\.presses).reduce(0, +)) : .null,
            "rate": .rate(successes, offered ?? 0),
            "rate_low": .wilson(successes, offered ?? 0, isLow: true),
            "rate_high": .wilson(successes, offered ?? 0, isLow: false),
            "share": isKnown ? .rate(known.count, all.count { !$0.responseOnly }) : .null,
            "registered": isButton ? .bool(definition != nil) : .null, "foreground": flag("foreground"),
            "authentication_required": flag("authentication_required"), "destructive": flag("destructive"),
            "text_input": flag("text_input"),
            "place": definition.flatMap { $0["place"].flatMap { Int64($0) } }.map { .integer($0) } ?? .null,
            "response_p50": middle(50, of: latencies),
            "response_p90": middle(90, of: latencies),
        ]
    }
}
