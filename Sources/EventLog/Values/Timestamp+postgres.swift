public import NotificationEvents
public import Postgres

extension Timestamp: PostgresDecodable {
    /// Reads `timestamptz`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Timestamp {
        Timestamp(microseconds: try Int64.decode(value))
    }
}
