import NotificationEvents

/// The values of an enumeration, by name and by raw integer.
final class CompiledEnumeration: Sendable {
    /// Each name as JSON.
    let values: [[UInt8]]
    let table: KeyTable
    /// The accepted values, for messages.
    let accepted: String
    private let rawValues: [(raw: Int64, index: Int)]

    init(_ enumeration: Enumeration) {
        values = enumeration.cases.map { Array("\"\($0.name)\"".utf8) }
        table = KeyTable(
            enumeration.cases.enumerated().flatMap { index, value in
                ([value.name] + value.aliases).map { ($0, index) }
            }
        )
        rawValues = enumeration.cases.enumerated().compactMap { index, value in
            value.rawValue.map { (Int64($0), index) }
        }
        accepted = enumeration.names.joined(separator: ", ")
    }

    var hasRawValues: Bool { !rawValues.isEmpty }

    func index(ofRaw raw: Int64) -> Int? {
        rawValues.first { $0.raw == raw }?.index
    }

    /// The values, by index, whose bits are set; `nil` where a bit is no value's.
    func mask(ofRaw raw: Int64) -> UInt64? {
        var mask: UInt64 = 0
        var rest = raw
        for (bit, index) in rawValues where bit & raw == bit {
            mask |= 1 << UInt64(index)
            rest &= ~bit
        }
        return rest == 0 ? mask : nil
    }
}
