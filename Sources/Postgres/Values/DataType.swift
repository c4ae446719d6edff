/// A PostgreSQL type by its object identifier, as `pg_type.dat` of PostgreSQL's sources fixes them.
struct DataType: Sendable, Hashable, RawRepresentable {
    /// The type's OID; 0 lets the server infer it.
    var rawValue: UInt32

    /// A type by its OID.
    init(rawValue: UInt32) { self.rawValue = rawValue }

    static let inferred = DataType(rawValue: 0)
    static let bool = DataType(rawValue: 16)
    static let bytea = DataType(rawValue: 17)
    static let char = DataType(rawValue: 18)
    static let name = DataType(rawValue: 19)
    static let int8 = DataType(rawValue: 20)
    static let int2 = DataType(rawValue: 21)
    static let int4 = DataType(rawValue: 23)
    static let text = DataType(rawValue: 25)
    static let oid = DataType(rawValue: 26)
    static let json = DataType(rawValue: 114)
    static let float4 = DataType(rawValue: 700)
    static let float8 = DataType(rawValue: 701)
    static let unknown = DataType(rawValue: 705)
    static let bpchar = DataType(rawValue: 1042)
    static let varchar = DataType(rawValue: 1043)
    static let date = DataType(rawValue: 1082)
    static let timestamp = DataType(rawValue: 1114)
    static let timestamptz = DataType(rawValue: 1184)
    static let interval = DataType(rawValue: 1186)
    static let numeric = DataType(rawValue: 1700)
    static let void = DataType(rawValue: 2278)
    static let uuid = DataType(rawValue: 2950)
    static let jsonb = DataType(rawValue: 3802)

    /// The array types that this module reads and writes, with their elements' types.
    private static let arrays: [DataType: DataType] = [
        DataType(rawValue: 1000): bool, DataType(rawValue: 1001): bytea, DataType(rawValue: 1002): char,
        DataType(rawValue: 1003): name, DataType(rawValue: 1005): int2, DataType(rawValue: 1007): int4,
        DataType(rawValue: 1009): text, DataType(rawValue: 1014): bpchar, DataType(rawValue: 1015): varchar,
        DataType(rawValue: 1016): int8, DataType(rawValue: 1021): float4, DataType(rawValue: 1022): float8,
        DataType(rawValue: 1028): oid, DataType(rawValue: 1115): timestamp, DataType(rawValue: 1182): date,
        DataType(rawValue: 1185): timestamptz, DataType(rawValue: 1187): interval, DataType(rawValue: 1231): numeric,
        DataType(rawValue: 199): json, DataType(rawValue: 2951): uuid, DataType(rawValue: 3807): jsonb,
    ]
    private static let arrayOf = Dictionary(uniqueKeysWithValues: arrays.map { ($0.value, $0.key) })
    private static let scalars = Set(arrays.values).union([unknown, void])

    /// The type of this array type's elements; nil where it is no array type known here.
    var element: DataType? { Self.arrays[self] }

    /// The array type with elements of this type.
    var array: DataType? { Self.arrayOf[self] }

    /// Whether results of this type are decoded from the binary format. A statement that gives any other type is run with
    /// text results, where each column can be read as a `String`.
    var hasBinaryDecoding: Bool { Self.scalars.contains(self) || element != nil }

    /// Whether the binary format is the text itself.
    var isText: Bool {
        switch self {
        case .text, .varchar, .bpchar, .name, .unknown, .json, .char: true
        default: false
        }
    }
}

/// Microseconds from 1970-01-01 to 2000-01-01, where PostgreSQL's timestamps start.
let postgresEpochMicroseconds: Int64 = 946_684_800_000_000
