/// How a database's schema stands to the SQL files of this release.
public enum SchemaState: Sendable, Equatable {
    /// Every migration is applied and the functions are those of the files.
    case current
    /// Nothing of Notilog is there.
    case missing
    /// Migrations are still to be applied.
    case older(pending: Int)
    /// The migrations are applied, the functions are others.
    case functionsDiffer
    /// Migrations of a later release were applied, which declares that services of this one still work.
    case newer(version: Int32)
    /// Migrations of a later release were applied, which needs services that have the migration `needs`.
    case tooNew(version: Int32, needs: Int32)
    /// Something that is not Notilog's, or a migration whose file was changed after it was applied.
    case foreign(reason: String)

    /// Whether a service of this release may work with the database.
    public var isUsable: Bool {
        switch self {
        case .current, .newer: true
        case .missing, .older, .functionsDiffer, .tooNew, .foreign: false
        }
    }

    /// What is wrong and which command fixes it; nil if nothing is.
    public var problem: String? {
        switch self {
        case .current, .newer: nil
        case .missing: "the database has no Notilog schema: run `notilog migrate`"
        case .older(let pending):
            "the database's schema is \(pending) migration\(pending == 1 ? "" : "s") behind: run `notilog migrate`"
        case .functionsDiffer: "the database's functions are not those of this release: run `notilog migrate`"
        case .tooNew(let version, let needs):
            "a later release migrated the database to \(version), and services older than \(needs) cannot work on it: "
                + "install that release and start its `notilog serve`"
        case .foreign(let reason):
            "the database's schema is not one that this release makes (\(reason)): if the database is Notilog's, install the "
                + "release that migrated it; if it is another program's, set NOTILOG_DATABASE_URL to Notilog's own"
        }
    }
}

/// What a migration run does, or would do.
public struct MigrationPlan: Sendable, Equatable {
    /// The files of `sql/migrations` still to be applied, in order.
    public var migrations: [String]
    /// Whether functions, projections' tables and reports are applied again.
    public var reappliesFunctions: Bool
    /// Why roles and privileges could not be set up; nil where they were, or where nothing was done.
    public var rolesProblem: String?

    /// Whether there is nothing to do.
    public var isEmpty: Bool { migrations.isEmpty && !reappliesFunctions }
}
