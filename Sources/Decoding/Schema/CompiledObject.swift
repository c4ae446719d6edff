import NotificationEvents

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
