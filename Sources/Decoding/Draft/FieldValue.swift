/// What value a field has.
enum FieldValue: Equatable {
    /// None, or `null`.
    case absent
    /// The value at that index of the item's tape.
    case sent(Int)
    /// A value that the item does not hold as such, by its index in ``GivenValues``.
    case given(Int)

    var isAbsent: Bool { self == .absent }
}

/// The value of each field of an object, by the field's index in it.
struct FieldValues {
    /// For each field 0 where it is absent, the index on the tape where it was sent, less than 0 where it was given.
    private var codes: [Int] = []

    /// Makes the fields of an object absent, all of them.
    fileprivate mutating func reset(_ object: CompiledObject) {
        let count = object.fields.count
        if codes.count < count {
            codes = Array(repeating: 0, count: max(count, 64))
        } else {
            for field in 0..<count { codes[field] = 0 }
        }
    }

    subscript(field: Int) -> FieldValue {
        @inline(__always)
        get {
            let code = codes[field]
            return code == 0 ? .absent : code > 0 ? .sent(code) : .given(-code - 1)
        }
        set {
            codes[field] =
                switch newValue {
                case .absent: 0
                case .sent(let index): index
                case .given(let index): -index - 1
                }
        }
    }

    /// Takes the values that an object on a tape has. Of two members of one name the last counts; `null` counts as absent.
    ///
    /// - Parameter unknown: called with the name of each member that is no field.
    @inline(__always)
    mutating func read(
        _ value: Int,
        of tape: JSONTape,
        _ object: CompiledObject,
        unknown: (UnsafeRawBufferPointer) -> Void
    ) {
        for member in tape.members(of: value) {
            let name = tape.string(member.name)
            let field = object.table.index(of: name)
            if field >= 0 {
                codes[field] = tape.tag(member.value) == JSONTape.Tag.null ? 0 : member.value
            } else {
                unknown(name)
            }
        }
    }
}

/// Memory of ``FieldValues``, used again from one object to the next.
final class FieldValuesPool {
    @exclusivity(unchecked) private var spare: [FieldValues] = []

    /// Values of the fields of an object, all of them absent.
    func values(_ object: CompiledObject) -> FieldValues {
        var values = spare.popLast() ?? FieldValues()
        values.reset(object)
        return values
    }

    /// Releases values that are no longer read.
    func recycle(_ values: FieldValues) {
        spare.append(values)
    }
}

/// Values as JSON that rules give to fields.
struct GivenValues {
    private var values: [[UInt8]] = []
    /// Those of fields within an object, by the field's ``CompiledField/id``.
    private var nested: [(field: Int, value: Int)] = []

    var isEmpty: Bool { values.isEmpty }

    subscript(index: Int) -> [UInt8] { values[index] }

    /// Adds the value of one of the kind's own fields.
    mutating func add(_ json: [UInt8]) -> FieldValue {
        values.append(json)
        return .given(values.count - 1)
    }

    /// Adds the value of a field within an object.
    mutating func add(_ json: [UInt8], for field: CompiledField) {
        nested.append((field.id, values.count))
        values.append(json)
    }

    /// The value of a field within an object.
    func value(of field: CompiledField) -> FieldValue {
        nested.first { $0.field == field.id }.map { .given($0.value) } ?? .absent
    }
}
