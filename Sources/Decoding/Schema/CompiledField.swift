import NotificationEvents

/// A field, made ready for many events.
final class CompiledField: Sendable {
    let name: String
    /// The name as JSON with its colon.
    let key: [UInt8]
    let type: CompiledType
    let isRequired: Bool
    let defaultValue: [UInt8]?
    let column: Field.Column?
    /// Whether there is nothing to do where the item does not have the field.
    let isIdleWhenAbsent: Bool
    /// Whether fields with names of their own are in it.
    let isContainer: Bool
    let isRequestIdentifier: Bool
    let isKeptEmpty: Bool
    /// Unique among the fields of a kind outside lists.
    let id: Int

    init(_ field: Field, ids: inout Int) {
        name = field.name
        isKeptEmpty = field.isKeptEmpty
        isRequestIdentifier = field.name == "request_identifier"
        isContainer =
            switch field.type {
            case .object, .list: true
            default: false
            }
        isIdleWhenAbsent = !field.isRequired && field.defaultValue == nil
        key = Array("\"\(field.name)\":".utf8)
        isRequired = field.isRequired
        defaultValue = field.defaultValue.map { Array($0.utf8) }
        if case .column(let column) = field.placement {
            self.column = column
        } else {
            column = nil
        }
        id = ids
        ids += 1
        type = CompiledType(field.type, ids: &ids)
    }
}

/// The fields of an event or of an object in one.
final class CompiledObject: Sendable {
    let fields: [CompiledField]
    let table: KeyTable

    init(_ fields: [Field], ids: inout Int) {
        var compiled: [CompiledField] = []
        for field in fields {
            compiled.append(CompiledField(field, ids: &ids))
        }
        self.fields = compiled
        table = KeyTable(fields.enumerated().map { ($0.element.name, $0.offset) })
    }

    func index(of name: some StringProtocol) -> Int? {
        fields.firstIndex { $0.name == name }
    }
}

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
