internal import struct FoundationEssentials.UUID

/// Where a reader over HTTP is: text without meaning to it. It says which log its number is of, so that the reader of a log
/// that went back in time is told.
public struct ExportPosition: Sendable, Hashable, CustomStringConvertible {
    /// Which log.
    public var incarnation: String
    /// The last number that the reader has.
    public var number: Int64

    /// - Parameters: as the properties of the same names.
    public init(incarnation: String, number: Int64) {
        self.incarnation = incarnation
        self.number = number
    }

    /// Reads what ``description`` gave; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, UUID(uuidString: String(parts[0]))?.uuidString.lowercased() == String(parts[0]),
            let number = Int64(parts[1]), number >= 0, String(number) == parts[1]
        else { return nil }
        self.init(incarnation: String(parts[0]), number: number)
    }

    /// The text.
    public var description: String { "\(incarnation).\(number)" }
}
