internal import Folds
internal import Postgres

/// Registrations of categories are merged with those that are stored.
extension NotificationFold {
    func foldCategories(on connection: isolated Connection) async throws {
        var named: Set<AppCategory> = []
        for (app, lists) in lists {
            for list in lists.keys {
                for category in vocabulary.categories(list.bytes) {
                    named.insert(AppCategory(app: app, category: category))
                }
            }
        }
        try await loadCategories(named, on: connection)
        var changed: Set<AppCategory> = []
        for (app, lists) in lists {
            for (list, said) in lists {
                for (key, isChanged) in categories[app, default: Categories()].merge(list, said, &vocabulary) {
                    registered[app, default: []].insert(key)
                    if isChanged { changed.insert(AppCategory(app: app, category: key.category)) }
                }
            }
        }
        guard !changed.isEmpty else { return }
        let rows = Array(changed)
        try await connection.query(
            "SELECT category_changed($1, $2, $3)",
            [
                AppCategory.app.parameter(rows, vocabulary), AppCategory.id.parameter(rows, vocabulary),
                .int8(range.after),
            ]
        )
    }

    /// Loads all versions of categories, as far as they are not known.
    func loadCategories(_ named: Set<AppCategory>, on connection: isolated Connection) async throws {
        let rows = Array(named.subtracting(loadedCategories))
        guard !rows.isEmpty else { return }
        loadedCategories.formUnion(rows)
        let found = try await connection.query(
            "SELECT * FROM category_known($1, $2)",
            [AppCategory.app.parameter(rows, vocabulary), AppCategory.id.parameter(rows, vocabulary)]
        )
        for row in found {
            var fields = FoldFields(row)
            let app = fields.int4()
            let category = fields.symbol(in: &vocabulary.names)
            let version = fields.symbol(in: &vocabulary.names)
            let at = fields.moment()
            let device = fields.symbol(in: &vocabulary.names)
            let said = Categories.Said(at: at, device: device, id: fields.uuid(), firstAt: fields.moment())
            let definition = fields.withJSON { $0.map { vocabulary.lists.symbol(of: $0) } ?? .empty }
            let key = Categories.Key(category: category, version: version)
            categories[app, default: Categories()].load(key, said, definition: definition, &vocabulary)
        }
    }
}

extension NotificationFold.AppCategory {
    fileprivate static let app = FoldColumn<Self>.int4("app_id") { $0.app }
    fileprivate static let id = FoldColumn<Self>.text("category_id") { $0.category }
}
