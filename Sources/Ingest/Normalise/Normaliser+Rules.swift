import NotificationEvents

extension Normaliser {
    /// Checks the rules across the fields of an event.
    func check(_ kind: CompiledKind, _ base: Int) throws(FieldFailure) {
        for rule in kind.rules {
            switch rule {
            case .required(let field, let condition, let message):
                if !isPresent(field, kind, base), holds(condition, kind, base) {
                    throw FieldFailure(.missingField, message, path: field.path)
                }
            case .atLeastOne(let fields, let message):
                if !fields.contains(where: { isPresent($0, kind, base) }) {
                    throw FieldFailure(.missingField, message, path: fields.first?.path ?? [])
                }
            case .unique(let index, let key):
                try checkUnique(kind.object.fields[index].name, Int(slots[base + index]), key)
            }
        }
    }

    private func checkUnique(_ list: String, _ value: Int, _ key: String) throws(FieldFailure) {
        guard value != 0, tape.tag(value) == JSONTape.Tag.array else { return }
        var seen: Set<String> = []
        var (index, position) = (value + 1, 0)
        let end = tape.close(value)
        while index < end {
            if tape.tag(index) == JSONTape.Tag.object, let member = tape.value(of: key, in: index),
                tape.tag(member) == JSONTape.Tag.string,
                !seen.insert(String(decoding: tape.string(member), as: UTF8.self)).inserted
            {
                throw FieldFailure(.invalidValue, "stands there twice", path: [list, String(position), key])
            }
            index = tape.next(index)
            position += 1
        }
    }
}
