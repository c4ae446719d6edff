extension LawNotification {
    /// The events of each stage; a schedule's count as requests.
    private func stage(_ kind: String) -> [LawEvent] { kind == "request" ? asked : events(kind) }

    /// What the first event says that says anything, stage by stage and within a stage in the tie order.
    func first(
        _ path: (LawEvent) -> LawValue?,
        of stages: [String] = ["request", "delivery", "presentation", "action_response", "dismissal"]
    ) -> String? {
        stages.flatMap(stage).compactMap { path($0)?.string }.first
    }

    var trigger: String? {
        first { $0["trigger", "type"] ?? ($0.kind == "request" && $0["push"] != nil ? "push" : nil) }
    }
    var interruptionLevel: String? { first { $0["interruption_level"] } }
    var campaign: String? { first { $0["campaign_id"] } }
    var variant: String? { first { $0["variant"] } }
    var thread: String? { first { $0["thread_id"] } }
    var requestedCategory: String? { first({ $0["category_id"] }, of: ["request"]) }

    /// The category that the person saw.
    var category: String? {
        first(
            { $0["category_id"] },
            of: ["action_response", "dismissal", "presentation", "delivery", "request"]
        )
    }

    /// The device as it was when the notification is counted.
    var context: LawValue? { cohortAt.flatMap { devices.context(of: device, at: $0) } }

    private var definitions: [LawValue] {
        categories.definitions(of: category, version: context?["app_version"]?.string)
    }

    var dismissObservable: Bool {
        reached && definitions.contains { $0["options"]?.strings.contains("custom_dismiss_action") == true }
    }

    var deliveryObservable: Bool {
        requested && !isDenied && asked.contains { $0["mutable_content"] == true }
            && devices.withExtension.contains(device)
    }

    /// The first action taken.
    var action: String? { responses.first?["action_id"]?.string }

    private var buttons: [LawValue] {
        definitions.flatMap { $0["actions"]?.array ?? [] }.filter { $0["id"]?.string == action }
    }

    private var isReply: Bool {
        buttons.contains { $0["type"] == "text_input" }
            || responses.contains { $0["action_id"]?.string == action && $0["text_length"] != nil }
    }

    var opened: Bool { action == "default" }
    var replied: Bool { responded && !opened && isReply }
    var acted: Bool { responded && !opened && !isReply }
    var appOpened: Bool {
        opened || buttons.contains { $0["options"]?.strings.contains("foreground") == true }
    }
}
