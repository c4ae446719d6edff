public import EventLog

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

/// The cursor of an HTTP client, as opaque text: what it reads, and its position in each of the databases that the log is in.
public struct ExportPositions: Sendable, Hashable, CustomStringConvertible {
    /// What a cursor is of: the numbers of one dataset or app mean other rows in another.
    public struct Origin: Sendable, Hashable {
        /// The dataset's name.
        public var dataset: String
        /// Whose rows.
        public var app: AppID

        /// - Parameters: as the properties of the same names.
        public init(dataset: String, app: AppID) {
            self.dataset = dataset
            self.app = app
        }
    }

    /// Nil for a cursor of an early answer, which does not say.
    private let origin: Origin?
    /// By the numbers of the cells; that of a database that is alone is 0.
    private let positions: [Int16: ExportPosition]
    private let isAlone: Bool

    /// - Parameters:
    ///   - positions: by the numbers of the cells.
    ///   - origin: what they are of.
    ///   - isAlone: whether the database is alone.
    public init(_ positions: [Int16: ExportPosition], of origin: Origin?, isAlone: Bool) {
        self.positions = positions
        self.origin = origin
        self.isAlone = isAlone
    }

    /// Parses ``description``; `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, let (positions, isAlone) = Self.positions(last) else { return nil }
        switch parts.count {
        case 1:
            self.init(positions, of: nil, isAlone: isAlone)
        case 3:
            guard let app = Int32(parts[1]), String(app) == parts[1] else { return nil }
            self.init(positions, of: Origin(dataset: String(parts[0]), app: AppID(rawValue: app)), isAlone: isAlone)
        default:
            return nil
        }
    }

    private static func positions(_ text: Substring) -> ([Int16: ExportPosition], isAlone: Bool)? {
        if let position = ExportPosition(String(text)) { return ([0: position], true) }
        var positions: [Int16: ExportPosition] = [:]
        for part in text.split(separator: "~", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "_", omittingEmptySubsequences: false)
            guard halves.count == 2, let cell = Int16(halves[0]), cell >= 0, String(cell) == halves[0],
                let position = ExportPosition(String(halves[1])), positions.updateValue(position, forKey: cell) == nil
            else { return nil }
        }
        return (positions, false)
    }

    /// The position in a cell's log; nil for a cell that the client has nothing of.
    public subscript(cell: Int16) -> ExportPosition? { positions[cell] }

    /// Whether each position is of one of these cells.
    public func isWithin(_ cells: [Int16], isAlone: Bool) -> Bool {
        self.isAlone == isAlone && positions.keys.allSatisfy(cells.contains)
    }

    /// Whether it is of this, as far as it says.
    public func isOf(_ origin: Origin) -> Bool { self.origin == nil || self.origin == origin }

    /// The text.
    public var description: String {
        let start = origin.map { "\($0.dataset):\($0.app.rawValue):" } ?? ""
        if isAlone { return start + (positions.values.first?.description ?? "") }
        return start + positions.sorted { $0.key < $1.key }.map { "\($0.key)_\($0.value)" }.joined(separator: "~")
    }
}
