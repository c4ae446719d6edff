/// The categories that apps registered: the newest registration of each, by app version ("" where none was said).
struct LawCategories {
    struct Key: Hashable {
        let category: String
        let version: String
    }

    struct Registration {
        let firstAt: Int64
        let event: LawEvent
        let definition: LawValue
    }

    private var registrations: [Key: Registration] = [:]

    /// - Parameter events: in the tie order.
    init(_ events: [LawEvent]) {
        for event in events where event.kind == "category_registration" {
            let version = event["context", "app_version"]?.string ?? ""
            for definition in event["categories"]?.array ?? [] {
                let key = Key(category: definition["id"]?.string ?? "", version: version)
                registrations[key] = Registration(
                    firstAt: registrations[key]?.firstAt ?? event.at,
                    event: event,
                    definition: definition
                )
            }
        }
    }

    /// The definitions that count for a device: that of its app version, else those of every version.
    func definitions(of category: String?, version: String?) -> [LawValue] {
        guard let category else { return [] }
        if let version, let exact = registrations[Key(category: category, version: version)] {
            return [exact.definition]
        }
        return registrations.filter { $0.key.category == category }.map(\.value.definition)
    }

    var rows: [LawRow] {
        registrations.map { key, registration in
            var row: LawRow = ["app_version": key.version, "category_id": key.category]
            row.set("registered_at", registration.event.at)
            row.set("device_id", registration.event.device)
            row.set("id", registration.event.id)
            row.set("first_at", registration.firstAt)
            row.set(
                "custom_dismiss",
                registration.definition["options"]?.strings.contains("custom_dismiss_action") == true
            )
            row.set("definition", registration.definition.text)
            return row
        }
    }

    /// How many versions registered each category and each button, and with which behaviour.
    var versionRows: [LawRow] {
        Dictionary(grouping: registrations, by: \.key.category).flatMap { category, versions in
            let definitions = versions.map(\.value.definition)
            let dismissed = definitions.filter { $0["options"]?.strings.contains("custom_dismiss_action") == true }
            var own: LawRow = ["category_id": category, "action_id": "", "text_input": "0", "foreground": "0"]
            own.set("versions", definitions.count)
            own.set("custom_dismiss", dismissed.count)
            let buttons = Set(definitions.flatMap { $0["actions"]?.array ?? [] }.compactMap { $0["id"]?.string })
            return [own]
                + buttons.map { button in
                    let alike = definitions.map { definition in
                        (definition["actions"]?.array ?? []).filter { $0["id"]?.string == button }
                    }
                    var row: LawRow = ["category_id": category, "action_id": button, "custom_dismiss": "0"]
                    row.set("versions", alike.filter { !$0.isEmpty }.count)
                    row.set("text_input", alike.filter { $0.contains { $0["type"] == "text_input" } }.count)
                    row.set(
                        "foreground",
                        alike.filter { $0.contains { $0["options"]?.strings.contains("foreground") == true } }.count
                    )
                    return row
                }
        }
    }

    var actionRows: [LawRow] {
        registrations.flatMap { key, registration in
            (registration.definition["actions"]?.array ?? []).enumerated().map { index, action in
                let options = action["options"]?.strings ?? []
                var row: LawRow = ["app_version": key.version, "category_id": key.category]
                row.set("action_id", action["id"]?.string)
                row.set("place", index + 1)
                row.set("title", action["title"]?.string)
                row.set("text_input", action["type"] == "text_input")
                for option in ["foreground", "authentication_required", "destructive"] {
                    row.set(option, options.contains(option))
                }
                return row
            }
        }
    }
}
