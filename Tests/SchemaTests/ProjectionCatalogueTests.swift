import Schema
import Testing

@Suite("Schema: the catalogue of projections")
struct ProjectionCatalogueTests {
    private func definition(_ name: String, _ header: String = "") throws -> ProjectionDefinition {
        try ProjectionDefinition(
            folder: name,
            sql: "-- projection: \(name)\n\(header)\n\nSELECT 1;\n-- after: nobody"
        )
    }

    @Test("groups and their order follow from the headers")
    func groups() throws {
        let catalogue = try ProjectionCatalogue([
            definition("engagement", "-- with: notification\n-- after: notification"),
            definition("notification", "-- after: settings, category"),
            definition("settings", "-- with: notification"),
            definition("category"),
        ])
        #expect(catalogue.groups.map(\.leader) == ["category", "notification"])
        #expect(catalogue.groups[1].members == ["settings", "notification", "engagement"])
        #expect(catalogue.groups[1].after == ["category"])
        #expect(catalogue.group(of: "engagement")?.leader == "notification")
        let unknown = #expect(throws: SchemaError.self) { try catalogue.group(named: "notifications") }
        #expect(unknown?.message.contains("category, settings, notification, engagement") == true)
    }

    @Test("projections that wait for each other, or for an unknown one, are refused")
    func order() throws {
        #expect(throws: SchemaError.self) {
            try ProjectionCatalogue([definition("a", "-- after: b"), definition("b", "-- after: a")])
        }
        #expect(throws: SchemaError.self) { try ProjectionCatalogue([definition("a", "-- after: missing")]) }
        #expect(throws: SchemaError.self) {
            try ProjectionCatalogue([definition("a"), definition("b", "-- with: a"), definition("c", "-- with: b")])
        }
    }

    @Test(
        "a header must name the folder, by a name that can be a part of SQL, and one leader at most",
        arguments: [
            ("a", "-- projection: b"), ("a", "SELECT 1;\n-- projection: a"), ("a; DROP", "-- projection: a; DROP"),
            ("a", "-- projection: a\n-- with: b, c"),
        ]
    )
    func header(_ folder: String, _ sql: String) {
        #expect(throws: SchemaError.self) { try ProjectionDefinition(folder: folder, sql: sql) }
    }

    @Test("the repository's own projections form groups")
    func own() throws {
        let catalogue = try ProjectionCatalogue(folder: ReleaseFolder.locate())
        #expect(catalogue.names.contains("notification"))
        #expect(catalogue.group(of: "engagement")?.leader == "notification")
    }

    @Test("a definition of tables or functions does not change with comments and spaces")
    func definitions() throws {
        let folder = try ReleaseFolder.locate()
        let group = try ProjectionCatalogue(folder: folder).group(named: "notification")
        let files = try ProjectionFiles(group, in: folder)
        #expect(files.tables.contains("-- "))
        #expect(!files.tablesDefinition.contains("--") && !files.functionsDefinition.contains("--"))
        #expect(files.tablesDefinition.contains("CREATE TABLE IF NOT EXISTS notification ( app_id integer NOT NULL,"))
    }
}
