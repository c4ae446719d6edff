internal import Folds
internal import Postgres

/// Registrations of categories are merged with those that are stored.
extension NotificationFold {
    func foldCategories(on connection: isolated Connection) async throws {
        var named: Set<AppCategory> = []
        for (app, lists) in lists {
            for list in lists.keys {
                for category in symbols.categories(list.bytes) {
                    named.insert(AppCategory(app: app, key: Categories.Key(category: category, version: list.version)))
                }
            }
        }
        try await loadCategories(named, on: connection)
        var changed: Set<AppCategory> = []
        for (app, lists) in lists {
            for (list, origin) in lists {
                for (key, isChanged) in try categories[app, default: Categories()].merge(list, origin, &symbols) {
                    registered[app, default: []].insert(key)
                    if isChanged { changed.insert(AppCategory(app: app, key: key)) }
                }
            }
        }
        if !changed.isEmpty { try await note(changed, on: connection) }
    }

    /// Notes whose behaviour changed, for the notifications that it bears on.
    private func note(_ changed: Set<AppCategory>, on connection: isolated Connection) async throws {
        guard FoldVersion.has("category_change", "app_versions") else {
            let rows = Array(
                Set(changed.map { AppPart(app: $0.app, part: Categories.Part(category: $0.key.category)) })
            )
            try await connection.query(
                "SELECT category_changed($1, $2, $3)",
                [AppPart.app, AppPart.category].map { $0.parameter(rows, symbols) } + [.int8(range.after)]
            )
            return
        }
        let parts = categories.flatMap { app, categories in
            categories.changes.rows.map { AppPart(app: app, part: $0.key) }
        }
        try await loadVersions(Set(parts), on: connection)
        let ofOthers = categories.flatMap { app, categories in
            categories.changedForOthers.map { AppCategory(app: app, key: Categories.Key(category: $0, version: .none)) }
        }
        let rows = Array(changed) + ofOthers
        try await connection.query(
            "SELECT category_versions_changed($1, $2, $3, $4)",
            [AppCategory.app, AppCategory.category, AppCategory.version].map { $0.parameter(rows, symbols) }
                + [.int8(range.after)]
        )
    }

    /// Loads what deriving notifications needs: each one's category as its app version registered it, and how many versions
    /// registered the category and the button.
    func loadCategories(of notifications: [NotificationBatch], on connection: isolated Connection) async throws {
        var named: Set<AppCategory> = []
        var parts: Set<AppPart> = []
        for notification in notifications {
            guard let facts = notification.after?.facts, facts.category.value != .none, facts.cohortAt != .none else {
                continue
            }
            let app = notification.device.key.app
            let category = facts.category.value
            let context = symbols.context(notification.device.periods.context(at: facts.cohortAt))
            if context.appVersion != .none {
                named.insert(
                    AppCategory(app: app, key: Categories.Key(category: category, version: context.appVersion))
                )
            }
            parts.insert(AppPart(app: app, part: Categories.Part(category: category)))
            if !facts.action.isNone {
                let part = Categories.Part(category: category, action: facts.action.value)
                parts.insert(AppPart(app: app, part: part))
            }
        }
        try await loadCategories(named, on: connection)
        try await loadVersions(parts, on: connection)
    }

    /// Loads the registrations that are not known yet.
    private func loadCategories(_ named: Set<AppCategory>, on connection: isolated Connection) async throws {
        let rows = Array(named.subtracting(loadedCategories))
        guard !rows.isEmpty else { return }
        loadedCategories.formUnion(rows)
        let found = try await connection.query(
            "SELECT * FROM category_known($1, $2, $3)",
            [AppCategory.app, AppCategory.category, AppCategory.version].map { $0.parameter(rows, symbols) }
        )
        for row in found {
            var fields = FoldFields(row)
            let named = rows[Int(fields.int4()) - 1]
            let at = fields.moment()
            let device = fields.symbol(in: &symbols.names)
            let origin = Categories.Origin(at: at, device: device, id: fields.uuid(), firstAt: fields.moment())
            let definition = fields.withJSON { $0.map { symbols.lists.symbol(of: $0) } ?? .empty }
            categories[named.app, default: Categories()].load(named.key, origin, definition: definition, &symbols)
        }
    }

    private func loadVersions(_ parts: Set<AppPart>, on connection: isolated Connection) async throws {
        guard !parts.isEmpty else { return }
        let rows = Array(parts)
        let found = try await connection.query(
            "SELECT * FROM category_versions_known($1, $2, $3)",
            [AppPart.app, AppPart.category, AppPart.action].map { $0.parameter(rows, symbols) }
        )
        for row in found {
            var fields = FoldFields(row)
            let named = rows[Int(fields.int4()) - 1]
            var versions = Categories.Versions()
            versions.all = fields.integer() ?? 0
            versions.customDismiss = fields.integer() ?? 0
            versions.textInput = fields.integer() ?? 0
            versions.foreground = fields.integer() ?? 0
            categories[named.app, default: Categories()].load(named.part, versions)
        }
    }
}

/// A category as a version of an app registered it; where the version is none, as it is for versions that never did.
struct AppCategory: Hashable {
    var app: Int32
    var key: Categories.Key

    fileprivate static let app = FoldColumn<Self>.int4("app_id") { $0.app }
    fileprivate static let category = FoldColumn<Self>.text("category_id") { $0.key.category }
    fileprivate static let version = FoldColumn<Self>.text("app_version") { $0.key.version }
}

/// A category of an app, or a button of one.
struct AppPart: Hashable {
    var app: Int32
    var part: Categories.Part

    static let app = FoldColumn<Self>.int4("app_id") { $0.app }
    static let category = FoldColumn<Self>.text("category_id") { $0.part.category }
    /// The empty string of a category itself.
    static let action = FoldColumn<Self>.text("action_id") { $0.part.action.orEmpty }
}
