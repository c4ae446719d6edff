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

/// The position of an HTTP client in each of the databases that the log is in, as opaque text.
public struct ExportPositions: Sendable, Hashable, CustomStringConvertible {
    /// By the numbers of the cells; that of a database that is alone is 0.
    private let positions: [Int16: ExportPosition]
    private let isAlone: Bool

    /// - Parameters:
    ///   - positions: by the numbers of the cells.
    ///   - isAlone: whether the database is alone.
    public init(_ positions: [Int16: ExportPosition], isAlone: Bool) {
        self.positions = positions
        self.isAlone = isAlone
    }

    /// Parses ``description``; `nil` for any other text.
    public init?(_ text: String) {
        if let position = ExportPosition(text) {
            self.init([0: position], isAlone: true)
            return
        }
        var positions: [Int16: ExportPosition] = [:]
        for part in text.split(separator: "~", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "_", omittingEmptySubsequences: false)
            guard halves.count == 2, let cell = Int16(halves[0]), cell >= 0, String(cell) == halves[0],
                let position = ExportPosition(String(halves[1])), positions.updateValue(position, forKey: cell) == nil
            else { return nil }
        }
        self.init(positions, isAlone: false)
    }

    /// The position in a cell's log; nil for a cell that the client has nothing of.
    public subscript(cell: Int16) -> ExportPosition? { positions[cell] }

    /// Whether each position is of one of these cells.
    public func isWithin(_ cells: [Int16], isAlone: Bool) -> Bool {
        self.isAlone == isAlone && positions.keys.allSatisfy(cells.contains)
    }

    /// The text.
    public var description: String {
        if isAlone { return positions.values.first?.description ?? "" }
        return positions.sorted { $0.key < $1.key }.map { "\($0.key)_\($0.value)" }.joined(separator: "~")
    }
}
