internal import EventLog

/// Why an export failed; the message says what to do.
public struct ExportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unknownDataset = "unknown_dataset"
            case unwritableType = "unwritable_type"
            case unknownFormat = "unknown_format"
            case invalidCursor = "invalid_cursor"
            case unknownCursor = "unknown_cursor"
            case otherCursor = "other_cursor"
            case busy
            case incarnation = "log_changed"
            case unknownPosition = "unknown_position"
            case behind = "projection_behind"
            case folder
        }
        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// No dataset has that name.
        public static let unknownDataset = Code(.unknownDataset)
        /// A column of the dataset is of a type that exports cannot write, which its file has to cast.
        public static let unwritableType = Code(.unwritableType)
        /// No format has that name.
        public static let unknownFormat = Code(.unknownFormat)
        /// The text is not a valid cursor name, or not the cursor of an earlier answer.
        public static let invalidCursor = Code(.invalidCursor)
        /// No cursor has that name.
        public static let unknownCursor = Code(.unknownCursor)
        /// The cursor belongs to another dataset or app, or the folder to another cursor.
        public static let otherCursor = Code(.otherCursor)
        /// Another run of the cursor is under way.
        public static let busy = Code(.busy)
        /// The log is not the one that the cursor belongs to: it went back in time.
        public static let incarnation = Code(.incarnation)
        /// `min_position` is a position that the log has not assigned yet.
        public static let unknownPosition = Code(.unknownPosition)
        /// The dataset did not pass `min_position` in time; see ``ExportError/lagSeconds``.
        public static let behind = Code(.behind)
        /// A file or folder cannot be written.
        public static let folder = Code(.folder)

        /// The code's name, for programs.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong and what to do next, in one sentence.
    public var message: String
    /// The accepted names.
    public var accepted: [String] = []
    /// With ``Code/behind``: the age of the oldest event that is not in the dataset, in seconds.
    public var lagSeconds: Double?

    init(_ code: Code, _ message: String, accepted: [String] = []) {
        self.code = code
        self.message = message
        self.accepted = accepted
    }

    /// The message.
    public var description: String { message }

    static func unknown(_ position: Position) -> ExportError {
        ExportError(.unknownPosition, LogProgress.unassigned(position))
    }

    static func behind(_ position: Position, at reached: Position, lagSeconds: Double) -> ExportError {
        var error = ExportError(.behind, LogProgress.behind("dataset", at: reached, position))
        error.lagSeconds = lagSeconds
        return error
    }
}
