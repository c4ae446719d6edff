import CLibPQ
import Folds
import Foundation

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// One session of PostgreSQL through libpq, and what its processor time came to.
final class Session {
    private let connection: OpaquePointer
    private let statistics: Int32
    private var prepared: Set<String> = []

    init(settings: [String: String]) throws {
        guard let connection = PQconnectdb(""), PQstatus(connection) == CONNECTION_OK else {
            throw Failure(description: "no connection")
        }
        self.connection = connection
        statistics = open("/proc/\(PQbackendPID(connection))/schedstat", O_RDONLY)
        guard statistics >= 0 else { throw Failure(description: "the server is not on this machine") }
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) { try run("SET \(name) = \(value)") }
    }

    /// Nanoseconds of processor that the server's process has used.
    var processor: UInt64 {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(statistics, &bytes, 64, 0)
        var value: UInt64 = 0
        for byte in bytes.prefix(max(0, count)) {
            guard 48...57 ~= byte else { break }
            value = value * 10 + UInt64(byte - 48)
        }
        return value
    }

    func run(_ sql: String) throws {
        _ = try Rows(checked(PQexec(connection, sql)))
    }

    /// Runs a statement, prepared once, with parameters in binary.
    @discardableResult
    func query(_ sql: String, _ parameters: [Parameter] = []) throws -> Rows {
        if prepared.insert(sql).inserted {
            _ = try Rows(
                checked(PQprepare(connection, name(sql), sql, Int32(parameters.count), parameters.map(\.type)))
            )
        }
        let counts = parameters.map { Int32($0.bytes.count) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        let buffers = parameters.map { parameter in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, parameter.bytes.count), alignment: 8)
            buffer.copyBytes(from: parameter.bytes)
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        let pointers = buffers.map { UnsafePointer($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
        return try Rows(
            checked(PQexecPrepared(connection, name(sql), Int32(parameters.count), pointers, counts, formats, 1))
        )
    }

    private func name(_ sql: String) -> String { "s\(UInt(bitPattern: sql.hashValue))" }

    /// Streams the rows of a binary COPY; the fields of a row hold until the next.
    func copyOut(_ sql: String, _ row: (inout Fields) throws -> Void) throws {
        let begun = PQexec(connection, sql)
        guard PQresultStatus(begun) == PGRES_COPY_OUT else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
        PQclear(begun)
        var offset = 19  // the signature before the first row
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(connection, &buffer, 0)
            guard count >= 0, let buffer else { break }
            defer { PQfreemem(buffer) }
            var fields = Fields(bytes: UnsafeRawBufferPointer(start: buffer, count: Int(count)), offset: offset)
            offset = 0
            if fields.begin() { try row(&fields) }
        }
        while let rest = PQgetResult(connection) { _ = try Rows(checked(rest)) }
    }

    private func checked(_ result: OpaquePointer?) throws -> OpaquePointer? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result
        default: throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
    }

    /// The rows of an answer.
    final class Rows {
        private let result: OpaquePointer?
        let count: Int

        init(_ result: OpaquePointer?) {
            self.result = result
            count = Int(PQntuples(result))
        }

        deinit { PQclear(result) }

        func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
            if PQgetisnull(result, Int32(row), Int32(column)) == 1 { return nil }
            return UnsafeRawBufferPointer(
                start: PQgetvalue(result, Int32(row), Int32(column)),
                count: Int(PQgetlength(result, Int32(row), Int32(column)))
            )
        }

        func integer<Value: FixedWidthInteger>(_ row: Int, _ column: Int) -> Value? {
            bytes(row, column).map { Value(bigEndian: $0.loadUnaligned(as: Value.self)) }
        }

        func text(_ row: Int, _ column: Int) -> String {
            bytes(row, column).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        func moment(_ row: Int, _ column: Int) -> Moment { integer(row, column) ?? .none }

        func eventID(_ row: Int, _ column: Int) -> EventID {
            bytes(row, column).map { EventID($0) } ?? EventID(high: 0, low: 0)
        }
    }
}

/// The fields of one row of a binary COPY.
struct Fields {
    let bytes: UnsafeRawBufferPointer
    var offset: Int

    /// Whether this is a row, and no end of all.
    mutating func begin() -> Bool {
        guard offset + 2 <= bytes.count else { return false }
        defer { offset += 2 }
        return Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)) >= 0
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        let count = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        offset += 4
        if count < 0 { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func integer<Value: FixedWidthInteger>() -> Value? {
        next().map { Value(bigEndian: $0.loadUnaligned(as: Value.self)) }
    }
}

extension EventID {
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }
}

/// A parameter in binary.
struct Parameter {
    var type: UInt32
    var bytes: [UInt8]

    static func integer(_ value: Int64) -> Parameter {
        Parameter(type: 20, bytes: withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }
}

/// An array in PostgreSQL's binary format.
struct Column {
    enum Element: UInt32 {
        case boolean = 16, bytes = 17, int8 = 20, int4 = 23, text = 25, timestamp = 1184, uuid = 2950

        var array: UInt32 {
            switch self {
            case .boolean: 1000
            case .bytes: 1001
            case .int8: 1016
            case .int4: 1007
            case .text: 1009
            case .timestamp: 1185
            case .uuid: 2951
            }
        }
    }

    private let element: Element
    private var buffer: [UInt8]
    private(set) var count = 0
    private var hasNull = false

    init(_ element: Element) {
        self.element = element
        buffer = [UInt8](repeating: 0, count: 20)
    }

    mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        count += 1
        withUnsafeBytes(of: Int32(MemoryLayout<Value>.size).bigEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
    }

    mutating func append(moment: Moment) {
        if moment == .none { appendNull() } else { append(moment) }
    }

    mutating func append(_ id: EventID) {
        count += 1
        withUnsafeBytes(of: Int32(16).bigEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: id.high.bigEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: id.low.bigEndian) { buffer.append(contentsOf: $0) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += 1
        withUnsafeBytes(of: Int32(bytes.count).bigEndian) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: bytes)
    }

    mutating func append(_ text: String) {
        var copy = text
        copy.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// A string of a table; null where there is none.
    mutating func append(_ id: ByteTable.ID, in table: ByteTable) {
        table.withBytes(of: id) { bytes in
            if let bytes { append(bytes) } else { appendNull() }
        }
    }

    mutating func appendNull() {
        count += 1
        hasNull = true
        withUnsafeBytes(of: Int32(-1).bigEndian) { buffer.append(contentsOf: $0) }
    }

    consuming func parameter() -> Parameter {
        func put(_ value: Int32, _ offset: Int) {
            withUnsafeBytes(of: value.bigEndian) { buffer.replaceSubrange(offset..<offset + 4, with: $0) }
        }
        if count == 0 { buffer.removeLast(8) }
        put(count == 0 ? 0 : 1, 0)
        put(hasNull ? 1 : 0, 4)
        put(Int32(bitPattern: element.rawValue), 8)
        if count > 0 {
            put(Int32(count), 12)
            put(1, 16)
        }
        return Parameter(type: element.array, bytes: buffer)
    }
}
