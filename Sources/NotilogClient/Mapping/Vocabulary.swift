import NotificationEvents

/// Apple's raw values in the words of the vocabulary.
enum Vocabulary {
    /// The name of a raw value; `nil` if it is newer than the vocabulary.
    static func name(_ raw: Int?, _ field: String, of kind: EventKind) -> Notilog.Value? {
        guard let raw, let cases = cases(field, kind) else { return nil }
        return cases.first { $0.rawValue == raw }.map { .string($0.name) }
    }

    /// The raw value of a name as the payload of a push spells it, with hyphens; `nil` if the vocabulary has no such name.
    static func rawValue(hyphenated name: String, _ field: String, of kind: EventKind) -> Int? {
        cases(field, kind)?.first { $0.name.split(separator: "_").joined(separator: "-") == name }?.rawValue
    }

    /// The names of an option set's bits, as far as the vocabulary has them.
    static func names(_ bits: UInt, _ field: String, of kind: EventKind) -> Notilog.Value {
        let cases = cases(field, kind) ?? []
        return .list(
            cases.filter { bits & UInt($0.rawValue ?? 0) != 0 }.map { .string($0.name) }
        )
    }

    private static func cases(_ path: String, _ kind: EventKind) -> [Enumeration.Case]? {
        var fields = kind.fields
        var found: FieldType?
        for name in path.split(separator: "/") {
            guard let field = fields.first(where: { $0.name == name }) else { return nil }
            found = field.type
            if case .list(let element, _) = field.type, case .object(let inner) = element { fields = inner }
        }
        switch found {
        case .enumeration(let enumeration), .openEnumeration(let enumeration, _), .optionSet(let enumeration):
            return enumeration.cases
        default:
            return nil
        }
    }
}
