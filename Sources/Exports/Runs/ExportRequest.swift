public import EventLog

/// What a run exports, and to which folder.
public struct ExportRequest: Sendable {
    /// The dataset's name.
    public var dataset: String
    /// The cursor's name.
    public var cursor: String
    /// The app's number.
    public var appID: AppID
    /// The app's name, for the manifest.
    public var app: String
    /// The folder of the files.
    public var folder: String
    /// The output format.
    public var format: ExportFormat
    /// Whether files are compressed.
    public var gzip: Bool
    /// Whether to continue although the log is not the one that the cursor belongs to.
    public var acceptsIncarnation: Bool
    /// Positions that the run must include; waits for those of its log. A resumed run keeps its own range.
    public var minPositions: [Position]

    /// - Parameters: as the properties of the same names.
    public init(
        dataset: String,
        cursor: String,
        appID: AppID,
        app: String,
        folder: String,
        format: ExportFormat = .ndjson,
        gzip: Bool = false,
        acceptsIncarnation: Bool = false,
        minPositions: [Position] = []
    ) {
        self.dataset = dataset
        self.cursor = cursor
        self.appID = appID
        self.app = app
        self.folder = folder
        self.format = format
        self.gzip = gzip
        self.acceptsIncarnation = acceptsIncarnation
        self.minPositions = minPositions
    }
}

/// The result of a run.
public enum ExportOutcome: Sendable, Equatable {
    /// There was nothing new since this number.
    case nothing(since: Int64)
    /// A file and its manifest are complete, and the cursor has moved; `isResumed` if an earlier run had begun it.
    case wrote(ExportManifest, isResumed: Bool)
}

/// The steps of a run, in order. If a run dies between two of them, the next run resumes it.
package enum ExportStep: Sendable, CaseIterable {
    /// The range and the file's name are recorded.
    case recorded
    /// The file is on disk under a temporary name.
    case written
    /// The file has its name.
    case renamed
    /// The manifest has its name, and both are synced to disk.
    case described
    /// The cursor has moved.
    case committed
}
