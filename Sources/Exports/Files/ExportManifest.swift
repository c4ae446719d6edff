internal import Foundation

/// The manifest beside each file: the file is complete as soon as its manifest exists, and never changes again.
public struct ExportManifest: Codable, Sendable, Equatable {
    /// The cursor of the run.
    public var cursor: String
    /// The cursor's id: a reset gives it another one.
    public var cursorID: String
    /// The app whose rows they are.
    public var app: String
    /// The dataset.
    public var dataset: String
    /// The log's incarnation, to which the numbers belong.
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
    /// The number of rows, including tombstones, excluding the header of CSV.
    public var rows: Int64
    /// The number of tombstones among the rows.
    public var tombstones: Int64
    /// The file's length in bytes.
    public var bytes: Int64
    /// The file's SHA-256, in hexadecimal.
    public var sha256: String
    /// The rows' columns, in their order.
    public var columns: [ExportColumn]

    enum CodingKeys: String, CodingKey {
        case cursor, app, dataset, incarnation, after, file, format, compression, rows, tombstones, bytes, sha256,
            columns
        case cursorID = "cursor_id"
        case upTo = "up_to"
    }

    /// The manifest's bytes: always the same for the same file.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Reads a manifest; `nil` if there is none, or it is damaged.
    static func read(_ path: String) -> ExportManifest? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(ExportManifest.self, from: data)
    }
}
