/// Projections that are applied in the same transactions, with one checkpoint.
public struct ProjectionGroup: Sendable, Equatable {
    /// The projection that the checkpoint is named for.
    public var leader: String
    /// All of them, in the order in which they are applied.
    public var members: [String]
    /// The leaders of other groups that must be ahead.
    public var after: [String]
    /// The version of the fold in Swift that applies the group; nil where its functions in SQL do.
    public var fold: String?
    /// The number of lanes of its new versions; nil where it cannot have more than one.
    public var lanes: Int16?
}

extension ProjectionGroup {
    /// The numbers of lanes that a version may have.
    public static let laneNumbers: [Int16] = [1, 2, 4, 8]
}

/// All projections, as their folders declare them.
public struct ProjectionCatalogue: Sendable, Equatable {
    /// The groups, such that none comes before one that it must be behind.
    public let groups: [ProjectionGroup]

    /// Reads `sql/projections/*/apply.sql` and `fold.sql`.
    ///
    /// - Throws: ``SchemaError``.
    public init(folder: ReleaseFolder) throws(SchemaError) {
        var definitions: [ProjectionDefinition] = []
        for name in folder.list("projections") {
            guard let file = ProjectionDefinition.file(of: name, in: folder) else { continue }
            definitions.append(try ProjectionDefinition(folder: name, sql: try folder.read(file)))
        }
        try self.init(definitions)
    }

    /// Puts projections into groups and order.
    ///
    /// - Throws: ``SchemaError`` where a name is unknown or projections wait for each other.
    public init(_ definitions: [ProjectionDefinition]) throws(SchemaError) {
        let known = Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })
        for definition in definitions {
            let named =
                definition.after.map { (key: "after", name: $0) }
                + [definition.leader].compactMap { $0 }.map { (key: "with", name: $0) }
            for (key, name) in named where known[name] == nil {
                throw SchemaError(
                    "sql/projections/\(definition.name): the header has `-- \(key): \(name)`, but there is no such projection"
                )
            }
            if let leader = definition.leader, let other = known[leader]?.leader {
                throw SchemaError(
                    "sql/projections/\(definition.name): the header has `-- with: \(leader)`, which itself has `-- with: \(other)`; name \(other)"
                )
            }
        }
        func leader(_ name: String) -> String { known[name]?.leader ?? name }

        var groups: [ProjectionGroup] = []
        for first in definitions where first.leader == nil {
            let own = definitions.filter { leader($0.name) == first.name }
            let names = Set(own.map(\.name))
            let members = try Self.ordered(own.map { ($0.name, $0.after.filter(names.contains)) })
            let others = Set(own.flatMap(\.after).map(leader)).subtracting([first.name])
            groups.append(
                ProjectionGroup(
                    leader: first.name,
                    members: members,
                    after: others.sorted(),
                    fold: first.fold,
                    lanes: first.lanes
                )
            )
        }
        let order = try Self.ordered(groups.map { ($0.leader, $0.after) })
        self.groups = order.compactMap { name in groups.first { $0.leader == name } }
    }

    /// The group that a projection belongs to; nil where there is no such projection.
    public func group(of name: String) -> ProjectionGroup? {
        groups.first { $0.members.contains(name) }
    }

    /// The group that a projection belongs to.
    ///
    /// - Throws: ``SchemaError``, which lists the projections there are.
    public func group(named name: String) throws(SchemaError) -> ProjectionGroup {
        guard let group = group(of: name) else {
            throw SchemaError("there is no projection \(name); choose one of \(names.joined(separator: ", "))")
        }
        return group
    }

    /// The names of all projections.
    public var names: [String] { groups.flatMap(\.members) }

    /// Names such that each comes after those it names; among equals by name, so that the order is always the same.
    private static func ordered(_ items: [(name: String, after: [String])]) throws(SchemaError) -> [String] {
        var left = items.sorted { $0.name < $1.name }
        var result: [String] = []
        while !left.isEmpty {
            guard let index = left.firstIndex(where: { $0.after.allSatisfy(result.contains) }) else {
                let names = left.map(\.name).joined(separator: ", ")
                throw SchemaError("these projections wait for each other: \(names)")
            }
            result.append(left.remove(at: index).name)
        }
        return result
    }
}
