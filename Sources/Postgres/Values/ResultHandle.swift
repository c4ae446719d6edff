internal import CLibPQ

/// Owns one `PGresult`, which never changes once libpq has handed it over and so can be read from anywhere.
final class ResultHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let status: ExecStatusType
    let rowCount: Int
    let columnCount: Int

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        status = PQresultStatus(pointer)
        rowCount = Int(PQntuples(pointer))
        columnCount = Int(PQnfields(pointer))
    }

    deinit {
        PQclear(pointer)
    }

    /// Whether it says that a COPY is under way.
    var isCopy: Bool {
        [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status)
    }

    func type(_ column: Int) -> DataType {
        DataType(rawValue: PQftype(pointer, Int32(column)))
    }

    func name(_ column: Int) -> String {
        PQfname(pointer, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// The first column of that name, compared exactly: `PQfnumber` would fold the name to lower case.
    func index(ofColumn name: String) -> Int? {
        name.withCString { name in
            (0..<columnCount).first { column in
                PQfname(pointer, Int32(column)).map { equal($0, name) } ?? false
            }
        }
    }

    func value(row: Int, column: Int) -> ColumnValue {
        let row = Int32(row)
        let index = Int32(column)
        let isNull = PQgetisnull(pointer, row, index) == 1
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, index),
            count: Int(PQgetlength(pointer, row, index))
        )
        return ColumnValue(
            type: type(column),
            isBinary: PQfformat(pointer, index) == 1,
            bytes: isNull ? nil : bytes,
            owner: self
        )
    }

    /// The bytes of a value; nil for NULL. They live as long as this.
    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        let length = Int(PQgetlength(pointer, row, column))
        if length == 0, PQgetisnull(pointer, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(pointer, row, column), count: length)
    }

    var commandTag: String {
        PQcmdStatus(pointer).map { String(cString: $0) } ?? ""
    }
}

private func equal(_ a: UnsafePointer<CChar>, _ b: UnsafePointer<CChar>) -> Bool {
    var index = 0
    while a[index] == b[index] {
        if a[index] == 0 { return true }
        index += 1
    }
    return false
}
