public import EventLog
internal import Postgres

/// The app has named as many dimensions as one version of the projections counts by.
public struct TooManyDimensions: Error, Sendable, CustomStringConvertible {
    /// The message.
    public let description =
        "the app has named 64 dimensions since the projections were built, which is the limit: run `notilog projections rebuild notification`"
}

extension Administration {
    /// Names the keys of `attributes` that are the app's own dimensions, in place of those before. Events from now on are counted
    /// by them; a rebuild of the projections takes them back to the first event that the log has.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - keys: as ``App/areDimensions(_:)`` allows them.
    /// - Throws: ``TooManyDimensions``; `PostgresError`, with 55P03 where batches of projections take longer than ten seconds.
    public func nameDimensions(app: AppID, _ keys: [String]) async throws {
        try await pool.withTransaction { connection in
            let result = try await connection.query(
                "SELECT notilog.name_dimensions($1, $2)",
                [.app(app), .texts(keys)]
            ).only().get(0, as: String?.self)
            if result == "too_many" { throw TooManyDimensions() }
        }
        // Events that come next are counted by them, in whichever cell they are.
        try await mirror()
    }

    /// The keys of `attributes` that are the app's own dimensions, in the order in which they were named.
    ///
    /// - Throws: `PostgresError`.
    public func dimensions(app: AppID) async throws -> [String] {
        try await pool.query("SELECT dimensions FROM notilog.app WHERE app_id = $1", [.app(app)]).first?.get(0) ?? []
    }
}

extension App {
    /// The rule for own dimensions, for the error.
    public static let dimensionRule =
        "an app names up to 4 different keys of attributes, each of 1 to 64 of A-Z, a-z, 0-9, dot, underscore and hyphen, and none called none"

    /// Whether an app may name these keys.
    public static func areDimensions(_ keys: [String]) -> Bool {
        keys.count <= 4 && Set(keys).count == keys.count
            && keys.allSatisfy { $0 != "none" && $0.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil }
    }
}
