extension Parameter {
    /// The element types of array parameters.
    public enum ElementType: Sendable {
        /// `smallint`, `integer`, `bigint`
        case int2, int4, int8
        /// `boolean`
        case bool
        /// `text`, `jsonb`
        case text, jsonb
        /// `bytea`, `uuid`
        case bytea, uuid
        /// `timestamptz`, `interval`
        case timestamptz, interval

        var dataType: DataType {
            switch self {
            case .int2: .int2
            case .int4: .int4
            case .int8: .int8
            case .bool: .bool
            case .text: .text
            case .jsonb: .jsonb
            case .bytea: .bytea
            case .uuid: .uuid
            case .timestamptz: .timestamptz
            case .interval: .interval
            }
        }
    }

    /// A one-dimensional array written element by element.
    ///
    /// - Parameters:
    ///   - type: the elements' type.
    ///   - count: how many elements `write` appends; another number is a programming error and traps.
    ///   - elementBytes: how long an element is about, to reserve room.
    ///   - write: appends the elements.
    public static func array(
        of type: ElementType,
        count: Int,
        elementBytes: Int = 8,
        _ write: (inout ArrayWriter) throws -> Void
    ) rethrows -> Parameter {
        var writer = ArrayWriter(type.dataType, count: count, elementBytes: elementBytes)
        try write(&writer)
        return writer.finish()
    }

    /// `smallint[]`.
    public static func int2s(_ values: [Int16?]) -> Parameter {
        array(of: .int2, count: values.count) { for value in values { $0.append(value) } }
    }

    /// `integer[]`.
    public static func int4s(_ values: [Int32?]) -> Parameter {
        array(of: .int4, count: values.count) { for value in values { $0.append(value) } }
    }

    /// `bigint[]`.
    public static func int8s(_ values: [Int64?]) -> Parameter {
        array(of: .int8, count: values.count) { for value in values { $0.append(value) } }
    }

    /// `text[]`.
    public static func texts(_ values: [String?]) -> Parameter {
        array(of: .text, count: values.count, elementBytes: 24) { for value in values { $0.append(value) } }
    }

    /// `bytea[]`.
    public static func byteas(_ values: [[UInt8]?]) -> Parameter {
        array(of: .bytea, count: values.count, elementBytes: 32) { for value in values { $0.append(value) } }
    }

    /// `timestamptz[]`, in microseconds since 1970.
    public static func timestamptzs(_ values: [Int64?]) -> Parameter {
        array(of: .timestamptz, count: values.count) { for value in values { $0.append(value) } }
    }

    /// `jsonb[]`, from UTF-8.
    public static func jsonbs(_ values: [[UInt8]?]) -> Parameter {
        array(of: .jsonb, count: values.count, elementBytes: 128) { for value in values { $0.append(value) } }
    }
}
