import Foundation

/// The output of `--json`: keys in snake_case, in a fixed order, times as RFC 3339.
enum JSONOutput {
    static func print(_ value: some Encodable) throws {
        if let documents = CellDocuments.current { return try documents.add(value) }
        Console.print(try text(value))
    }

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Writes a value with its own key names, on one line.
    static func print(line value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Console.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
