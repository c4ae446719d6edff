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
