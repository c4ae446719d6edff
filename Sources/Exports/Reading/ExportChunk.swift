/// Rows that were read together, as text.
struct ExportChunk: Sendable {
    let bytes: [UInt8]
    let rows: Int64
    /// How many of them are tombstones.
    let tombstones: Int64
    /// The number of the last row.
    let last: Int64
    /// Whether it ends before what was asked for does: at its limit, or where the standby broke it off.
    let isCut: Bool
}
