internal import struct FoundationEssentials.UUID

/// The position of an HTTP client, as opaque text. It names the log's incarnation, so that the client of a log that went
/// back in time gets an error.
public struct ExportPosition: Sendable, Hashable, CustomStringConvertible {
    /// The log's incarnation.
    public var incarnation: String
    /// The last number that the reader has.
    public var number: Int64

    /// - Parameters: as the properties of the same names.
    public init(incarnation: String, number: Int64) {
        self.incarnation = incarnation
        self.number = number
    }

    /// Parses ``description``; `nil` for any other text.
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
