public import EventLog
public import NotificationEvents
internal import Postgres

/// The app has as many annotations as it may have.
public struct TooManyAnnotations: Error, Sendable, CustomStringConvertible {
    /// The message.
    public let description = "the app has 10,000 annotations, which is the limit: delete those that are of no use"
}

extension Administration {
    /// Stores an annotation. The same label at the same time is the same annotation.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - time: the time that it is about; `nil` for now.
    ///   - label: a text as ``Annotation/isLabel(_:)`` allows it.
    /// - Throws: ``TooManyAnnotations``; `PostgresError`.
    public func annotate(
        app: AppID,
        at time: Timestamp?,
        _ label: String
    ) async throws -> (annotation: Annotation, isNew: Bool) {
        let rows = try await pool.query(
            "SELECT annotation_id, at, label, is_new FROM notilog.annotate($1, $2, $3)",
            [.app(app), .timestamptz(time?.microseconds), .text(label)]
        )
        guard let row = rows.first else { throw TooManyAnnotations() }
        return (try Annotation(row), try row.get(3))
    }

    /// An app's annotations, oldest first.
    ///
    /// - Parameters:
    ///   - from: the time of the first; `nil` for the first of all.
    ///   - end: the time before which the last is; `nil` for the last of all.
    /// - Throws: `PostgresError`.
    public func annotations(app: AppID, from: Timestamp? = nil, to end: Timestamp? = nil) async throws -> [Annotation] {
        try await pool.query(
            "SELECT annotation_id, at, label FROM notilog.annotations($1, $2, $3)",
            [.app(app), .timestamptz(from?.microseconds), .timestamptz(end?.microseconds)]
        ).map { try Annotation($0) }
    }

    /// Deletes an annotation.
    ///
    /// - Returns: whether the app has such an annotation.
    /// - Throws: `PostgresError`.
    public func deleteAnnotation(_ id: Int64, app: AppID) async throws -> Bool {
        try await pool.query("SELECT notilog.delete_annotation($1, $2)", [.app(app), .int8(id)]).only().get(0)
    }
}

extension Annotation {
    fileprivate init(_ row: Row) throws {
        self.init(id: try row.get(0), at: try row.get(1), label: try row.get(2))
    }
}
