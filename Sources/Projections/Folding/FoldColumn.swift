internal import Folds
internal import Postgres

/// A column of a table that folds write: its name, its type, and what of a row it holds.
///
/// Columns are declared once, in ``FoldTable``; statements and parameters come from the declaration.
struct FoldColumn<Row>: Sendable {
    /// How a new value is combined with that of an existing row.
    enum Combination: Sendable {
        /// The new value takes its place.
        case replace
        /// The lesser of both stays; any value rather than NULL.
        case least
        /// The greater of both stays; any value rather than NULL.
        case greatest
        /// Both are added up.
        case add
    }

    let name: String
    let type: Parameter.ElementType
    var combination = Combination.replace
    let append: @Sendable (Row, Symbols, inout ArrayWriter) -> Void

    init(
        _ name: String,
        _ type: Parameter.ElementType,
        _ append: @escaping @Sendable (Row, Symbols, inout ArrayWriter) -> Void
    ) {
        self.name = name
        self.type = type
        self.append = append
    }

    static func int2(_ name: String, _ value: @escaping @Sendable (Row) -> Int16) -> Self {
        Self(name, .int2) { row, _, writer in writer.append(value(row)) }
    }

    static func int4(_ name: String, _ value: @escaping @Sendable (Row) -> Int32?) -> Self {
        Self(name, .int4) { row, _, writer in writer.append(value(row)) }
    }

    /// A sum, to which those of later batches are added.
    static func sum(_ name: String, _ value: @escaping @Sendable (Row) -> Int64) -> Self {
        var column = Self(name, .int8) { row, _, writer in writer.append(value(row)) }
        column.combination = .add
        return column
    }

    /// The earliest of a time, or NULL for none.
    static func earliest(_ name: String, _ value: @escaping @Sendable (Row) -> Moment) -> Self {
        var column = moment(name, value)
        column.combination = .least
        return column
    }

    /// The latest of a time, or NULL for none.
    static func latest(_ name: String, _ value: @escaping @Sendable (Row) -> Moment) -> Self {
        var column = moment(name, value)
        column.combination = .greatest
        return column
    }

    /// A position of the log: the first, or the last.
    static func position(_ name: String, _ which: Combination, _ value: @escaping @Sendable (Row) -> Int64) -> Self {
        var column = Self(name, .int8) { row, _, writer in writer.append(value(row)) }
        column.combination = which
        return column
    }

    /// Bytes, or NULL for none.
    static func bytes(
        _ name: String,
        _ combination: Combination = .replace,
        _ value: @escaping @Sendable (Row) -> Symbol
    ) -> Self {
        var column = Self(name, .bytea) { row, symbols, writer in writer.append(value(row), in: symbols.names) }
        column.combination = combination
        return column
    }

    static func bool(_ name: String, _ value: @escaping @Sendable (Row) -> Bool?) -> Self {
        Self(name, .bool) { row, _, writer in writer.append(value(row)) }
    }

    /// A name, or NULL for none.
    static func text(_ name: String, _ value: @escaping @Sendable (Row) -> Symbol) -> Self {
        Self(name, .text) { row, symbols, writer in writer.append(value(row), in: symbols.names) }
    }

    static func word(_ name: String, _ value: @escaping @Sendable (Row) -> StaticString) -> Self {
        Self(name, .text) { row, _, writer in
            let word = value(row)
            writer.append(raw: UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        }
    }

    /// A time, or NULL for none.
    static func moment(_ name: String, _ value: @escaping @Sendable (Row) -> Moment) -> Self {
        Self(name, .timestamptz) { row, _, writer in
            let moment = value(row)
            if moment == .none { writer.appendNull() } else { writer.append(postgresMicroseconds: moment) }
        }
    }

    /// A time that may be infinite.
    static func occurrence(_ name: String, _ value: @escaping @Sendable (Row) -> Moment) -> Self {
        Self(name, .timestamptz) { row, _, writer in writer.append(postgresMicroseconds: value(row)) }
    }

    /// The column for rows of another type.
    func of<Other>(_ row: @escaping @Sendable (Other) -> Row) -> FoldColumn<Other> {
        FoldColumn<Other>(name, type) { other, symbols, writer in append(row(other), symbols, &writer) }
    }

    static func uuid(_ name: String, _ value: @escaping @Sendable (Row) -> UUIDValue) -> Self {
        Self(name, .uuid) { row, _, writer in
            let id = value(row)
            writer.append(uuidHigh: id.high, low: id.low)
        }
    }
}

extension FoldColumn.Combination {
    /// The value of a column after the row `excluded` conflicted with the row `t`.
    func expression(_ name: String) -> String {
        switch self {
        case .replace: "excluded.\(name)"
        case .least: "least(t.\(name), excluded.\(name))"
        case .greatest: "greatest(t.\(name), excluded.\(name))"
        case .add: "t.\(name) + excluded.\(name)"
        }
    }
}

extension ArrayWriter {
    /// Appends a string of a table; NULL for none.
    mutating func append(_ symbol: Symbol, in table: borrowing SymbolTable) {
        table.withBytes(of: symbol) { bytes in
            if let bytes { append(raw: bytes) } else { appendNull() }
        }
    }
}
