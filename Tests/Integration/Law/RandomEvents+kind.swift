extension RandomEvents {
    /// A kind, as often as the focus has it.
    mutating func kind() -> String {
        let weights = isNarrow ? narrow : wide
        let bag = weights.sorted { $0.key < $1.key }.flatMap { Array(repeating: $0.key, count: $0.value) }
        return random.one(of: bag)
    }

    private var wide: [String: Int] {
        let all = [
            "request": 6, "delivery": 4, "presentation": 4, "action_response": 5, "dismissal": 2, "removal": 2,
            "push_result": 3, "settings": 3, "token": 2, "category_registration": 3, "open_settings": 1,
            "authorization_request": 1, "app_open": 2, "conversion": 2, "holdout": 1, "permission_prompt": 1,
            "live_activity": 2,
        ]
        let more: [String: Int] =
            switch focus {
            case .everything, .schedules: [:]
            case .notifications: ["settings": 1]
            case .devices: ["settings": 15, "open_settings": 8, "authorization_request": 6, "permission_prompt": 6]
            case .tokens: ["token": 25, "push_result": 15, "request": 20]
            case .categories: ["category_registration": 12]
            case .outcomes: ["conversion": 10, "app_open": 8, "holdout": 8, "request": 10, "live_activity": 6]
            }
        return all.merging(more) { $1 }
    }

    private var narrow: [String: Int] {
        switch focus {
        case .everything: wide
        case .notifications:
            [
                "request": 3, "delivery": 2, "presentation": 2, "action_response": 3, "dismissal": 1, "removal": 1,
                "push_result": 1,
            ]
        case .schedules: ["request": 4, "delivery": 2, "action_response": 1]
        case .devices: ["settings": 3, "open_settings": 2, "request": 2, "delivery": 1]
        case .tokens: ["token": 4, "push_result": 5, "request": 1]
        case .categories: ["category_registration": 3, "request": 1, "action_response": 3, "dismissal": 2]
        case .outcomes:
            [
                "conversion": 4, "app_open": 2, "holdout": 3, "request": 4, "delivery": 2, "action_response": 2,
                "settings": 1,
            ]
        }
    }
}
