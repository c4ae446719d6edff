public import struct FoundationEssentials.UUID

/// One value bound to a statement's `$1`, `$2`, …, in PostgreSQL's binary format.
///
/// Values always travel beside the statement, so nothing is ever escaped into it. Each maker takes nil for NULL.
public struct Parameter: Sendable {
    let type: DataType
    let buffer: WireBuffer?

    init(_ type: DataType, _ buffer: WireBuffer?) {
        self.type = type
        self.buffer = buffer
    }

    private init(_ type: DataType, capacity: Int, _ write: (WireBuffer) -> Void) {
        let buffer = WireBuffer(capacity: capacity)
        write(buffer)
        self.init(type, buffer)
    }

    /// NULL of the type that the statement infers.
    public static let null = Parameter(.inferred, nil)

    /// `smallint`.
    public static func int2(_ value: Int16?) -> Parameter {
        guard let value else { return Parameter(.int2, nil) }
        return Parameter(.int2, capacity: 2) { $0.append(value) }
    }

    /// `integer`.
    public static func int4(_ value: Int32?) -> Parameter {
        guard let value else { return Parameter(.int4, nil) }
        return Parameter(.int4, capacity: 4) { $0.append(value) }
    }

    /// `bigint`.
    public static func int8(_ value: Int64?) -> Parameter {
        guard let value else { return Parameter(.int8, nil) }
        return Parameter(.int8, capacity: 8) { $0.append(value) }
    }

    /// `double precision`.
    public static func float8(_ value: Double?) -> Parameter {
        guard let value else { return Parameter(.float8, nil) }
        return Parameter(.float8, capacity: 8) { $0.append(value.bitPattern) }
    }

    /// `boolean`.
    public static func bool(_ value: Bool?) -> Parameter {
        guard let value else { return Parameter(.bool, nil) }
        return Parameter(.bool, capacity: 1) { $0.append(value ? 1 as UInt8 : 0) }
    }

    /// `text`, in UTF-8. PostgreSQL takes no NUL in it.
    public static func text(_ value: String?) -> Parameter {
        guard var value else { return Parameter(.text, nil) }
        return value.withUTF8 { text in
            Parameter(.text, capacity: text.count) { $0.append(raw: UnsafeRawBufferPointer(text)) }
        }
    }

    /// `bytea`.
    public static func bytea(_ value: [UInt8]?) -> Parameter {
        guard let value else { return Parameter(.bytea, nil) }
        return Parameter(.bytea, capacity: value.count) { buffer in value.withUnsafeBytes { buffer.append(raw: $0) } }
    }

    /// `uuid`.
    public static func uuid(_ value: UUID?) -> Parameter {
        guard let value else { return Parameter(.uuid, nil) }
        return Parameter(.uuid, capacity: 16) { buffer in withUnsafeBytes(of: value.uuid) { buffer.append(raw: $0) } }
    }

    /// `uuid`, from its halves as big-endian numbers.
    public static func uuid(high: UInt64, low: UInt64) -> Parameter {
        Parameter(.uuid, capacity: 16) {
            $0.append(high)
            $0.append(low)
        }
    }

    /// `timestamptz`, in microseconds since 1970-01-01T00:00:00Z.
    public static func timestamptz(_ microseconds: Int64?) -> Parameter {
        guard let microseconds else { return Parameter(.timestamptz, nil) }
        return Parameter(.timestamptz, capacity: 8) { $0.append(microseconds &- postgresEpochMicroseconds) }
    }

    /// `jsonb`, from the UTF-8 bytes of a JSON text.
    public static func jsonb(_ utf8: [UInt8]?) -> Parameter {
        guard let utf8 else { return Parameter(.jsonb, nil) }
        return Parameter(.jsonb, capacity: utf8.count + 1) { buffer in
            buffer.append(jsonbVersion)
            utf8.withUnsafeBytes { buffer.append(raw: $0) }
        }
    }

    /// `jsonb`, from a JSON text.
    public static func jsonb(_ text: String?) -> Parameter {
        jsonb(text.map { Array($0.utf8) })
    }
}

/// The version byte that leads `jsonb` in the binary format (jsonb_recv).
let jsonbVersion: UInt8 = 1

extension Parameter: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A literal as `text`.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A literal as `bigint`.
    public init(integerLiteral value: Int64) { self = .int8(value) }
    /// A literal as `boolean`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
