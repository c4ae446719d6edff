internal import Postgres

/// What applies a range of the log to a group of projections: first it reads the events, then it brings them together with what is
/// stored. Between these it may pass from one connection to another (``ProjectionReadAhead``).
protocol Fold {
    /// Reads the events of a range, and nothing that the projections store.
    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> Self

    /// Loads what is stored, folds, and writes what changed, in the caller's transaction. Of an empty range it makes sure that the
    /// tables can be written.
    ///
    /// - Parameter sliceRows: the most notifications that it updates besides those of the events; nil for the default.
    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws
}

/// Events that were read on one connection, to be applied on another.
struct EventsRead: @unchecked Sendable {
    /// Who read them does not use it any more, and it is handed over once.
    let fold: any Fold
}
