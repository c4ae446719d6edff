internal import Foundation

/// What stands beside each file: it is complete as soon as its manifest is there, and never changes again.
public struct ExportManifest: Codable, Sendable, Equatable {
    /// The cursor that the file is a run of.
    public var cursor: String
    /// The cursor's own id: another one after a reset.
    public var cursorID: String
    /// The app whose rows they are.
    public var app: String
    /// The dataset.
    public var dataset: String
    /// Which log the numbers are of.
    public var incarnation: String
    /// The last number before the file.
    public var after: Int64
    /// The last number in the file: a position for events, else a change number.
    public var upTo: Int64
    /// The file's name, in the same folder.
    public var file: String
    /// `ndjson` or `csv`.
    public var format: String
    /// `gzip`, or null.
    public var compression: String?
    /// How many rows it has, tombstones among them, the header of CSV not.
    public var rows: Int64
    /// How many of the rows say that one is to be deleted.
    public var tombstones: Int64
    /// The file's length as it is.
    public var bytes: Int64
    /// The file's SHA-256 as it is, in hexadecimal.
    public var sha256: String
    /// The rows' columns, in their order.
    public var columns: [ExportColumn]

    enum CodingKeys: String, CodingKey {
        case cursor, app, dataset, incarnation, after, file, format, compression, rows, tombstones, bytes, sha256,
            columns
        case cursorID = "cursor_id"
        case upTo = "up_to"
    }

    /// The manifest as it is written: the same for the same file.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Reads a manifest; `nil` where there is none, or something else.
    static func read(_ path: String) -> ExportManifest? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(ExportManifest.self, from: data)
    }
}
