/// How a column's binary format is read.
enum ColumnKind: Equatable {
    case boolean, int2, int4, int8, text, uuid, moment, bytes, json
    /// A position, or a number that a cell gives, of which other cells have the same.
    case numberOfCell(Int16)

    /// - Throws: ``ExportError`` for a type that exports cannot write.
    init(_ column: ExportColumn) throws(ExportError) {
        switch column.type {
        case "boolean": self = .boolean
        case "smallint": self = .int2
        case "integer": self = .int4
        case "bigint": self = .int8
        case "text": self = .text
        case "uuid": self = .uuid
        case "timestamp with time zone": self = .moment
        case "bytea": self = .bytes
        case "jsonb": self = .json
        default:
            throw ExportError(
                .unwritableType,
                "column \(column.name) is of type \(column.type), which exports cannot write: cast it in the dataset's file"
            )
        }
    }
}
