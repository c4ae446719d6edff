extension EventKind {
    /// Every kind, in the order in which they are documented.
    public static let all: [EventKind] = [
        .request,
        .delivery,
        .presentation,
        .actionResponse,
        .dismissal,
        .removal,
        .authorizationRequest,
        .openSettings,
        .settings,
        .token,
        .pushResult,
        .categoryRegistration,
        .appOpen,
        .conversion,
        .holdout,
        .permissionPrompt,
        .liveActivity,
    ]

    /// The kind of that name.
    public static func named(_ name: String) -> EventKind? {
        byName[name]
    }

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
