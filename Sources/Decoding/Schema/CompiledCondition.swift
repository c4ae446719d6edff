import NotificationEvents

/// A field by path, found once: a field of the event, or one of an object in it.
struct FieldReference: Sendable {
    let index: Int
    let nested: CompiledField?
    /// The parts of the path, for pointers.
    let path: [String]

    init?(_ path: String, in object: CompiledObject) {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first, let index = object.index(of: first) else { return nil }
        self.index = index
        self.path = parts
        guard parts.count > 1 else {
            nested = nil
            return
        }
        guard case .object(let inner) = object.fields[index].type, let found = inner.index(of: parts[1]) else {
            return nil
        }
        nested = inner.fields[found]
    }
}

/// A condition whose fields are found.
indirect enum CompiledCondition: Sendable {
    case always
    case never
    case present(FieldReference)
    case equals(FieldReference, [UInt8])
    case not(CompiledCondition)
    case all([CompiledCondition])
    case any([CompiledCondition])

    /// A field that the kind does not have is never there.
    init(_ condition: Condition, in object: CompiledObject) {
        switch condition {
        case .always: self = .always
        case .present(let path): self = FieldReference(path, in: object).map { .present($0) } ?? .never
        case .equals(let path, let value):
            self = FieldReference(path, in: object).map { .equals($0, Array(value.utf8)) } ?? .never
        case .not(let inner): self = .not(CompiledCondition(inner, in: object))
        case .all(let inner): self = .all(inner.map { CompiledCondition($0, in: object) })
        case .any(let inner): self = .any(inner.map { CompiledCondition($0, in: object) })
        }
    }
}
