public import JSON
internal import Reports

/// A cell of a report: the values by which one of its rows differs from the others.
public struct AlertCell: Sendable, Hashable, CustomStringConvertible {
    /// A value of a key.
    public enum Value: Sendable, Hashable, Codable {
        /// A name
        case text(String)
        /// A whole number, such as a weekday
        case number(Int64)
        /// No value
        case null

        /// Reads JSON.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let number = try? container.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        /// Writes JSON.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .null: try container.encodeNil()
            }
        }
    }

    /// The values, by column.
    public var values: [String: Value]

    /// Makes a cell of its values.
    public init(_ values: [String: Value]) {
        self.values = values
    }

    init(_ columns: [(name: String, index: Int)], _ row: [ReportValue]) {
        values = [:]
        for (name, index) in columns {
            switch row[index] {
            case .text(let text): values[name] = .text(text)
            case .integer(let number): values[name] = .number(number)
            case .bool(let flag): values[name] = .text("\(flag)")
            // Of a period's end; whole seconds, as people say them.
            case .double(let number): values[name] = Int64(exactly: number).map { .number($0) } ?? .text("\(number)")
            default: values[name] = .null
            }
        }
    }

    /// The values as people read them.
    public var description: String {
        guard !values.isEmpty else { return "all" }
        return values.sorted { $0.key < $1.key }.map { name, value in
            switch value {
            case .text(let text): "\(name)=\(text)"
            case .number(let number): "\(name)=\(number)"
            case .null: "\(name)=(none)"
            }
        }.joined(separator: " ")
    }

    /// Writes an object with the values.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                json.name(text: name)
                switch value {
                case .text(let text): json.string(text)
                case .number(let number): json.integer(number)
                case .null: json.null()
                }
            }
        }
    }
}
