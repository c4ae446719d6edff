/// What a run is asked to export, and where to.
public struct ExportRequest: Sendable {
    /// The dataset's name.
    public var dataset: String
    /// The cursor's name.
    public var cursor: String
    /// The app's number.
    public var appID: Int32
    /// The app's name, for the manifest.
    public var app: String
    /// The folder that the files go to.
    public var folder: String
    /// How rows are written.
    public var format: ExportFormat
    /// Whether files are compressed.
    public var gzip: Bool
    /// Whether to go on although the log is not the one that the cursor was given for.
    public var acceptsIncarnation: Bool
    /// A position of the log that the run is to take in, waited for if need be; not by one that an earlier run had begun.
    public var minPosition: Int64?

    /// - Parameters: as the properties of the same names.
    public init(
        dataset: String,
        cursor: String,
        appID: Int32,
        app: String,
        folder: String,
        format: ExportFormat = .ndjson,
        gzip: Bool = false,
        acceptsIncarnation: Bool = false,
        minPosition: Int64? = nil
    ) {
        self.dataset = dataset
        self.cursor = cursor
        self.appID = appID
        self.app = app
        self.folder = folder
        self.format = format
        self.gzip = gzip
        self.acceptsIncarnation = acceptsIncarnation
        self.minPosition = minPosition
    }
}

/// What a run came to.
public enum ExportOutcome: Sendable, Equatable {
    /// There was nothing new since this number.
    case nothing(since: Int64)
    /// A file and its manifest are in place, and the cursor has moved; `isResumed` where an earlier run had begun it.
    case wrote(ExportManifest, isResumed: Bool)
}

/// The steps of a run, in their order; a run that dies between two of them is taken up by the next.
package enum ExportStep: Sendable, CaseIterable {
    /// The range and the file's name are recorded.
    case recorded
    /// The file is on disk under a temporary name.
    case written
    /// The file has its name.
    case placed
    /// The manifest has its name, and both are on disk.
    case described
    /// The cursor has moved.
    case committed
}
