public import NotificationEvents
public import Postgres

internal import struct FoundationEssentials.UUID

extension EventID: PostgresDecodable {
    /// Reads `uuid`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> EventID {
        let uuid = try UUID.decode(value)
        return withUnsafeBytes(of: uuid.uuid) { bytes in
            EventID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
