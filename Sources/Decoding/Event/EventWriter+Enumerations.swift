import NotificationEvents

extension EventWriter {
    private typealias Tag = JSONTape.Tag

    /// Writes a name that need not be known, or a raw integer that must be.
    func writeOpen(_ value: Int, _ enumeration: CompiledEnumeration, maxBytes: Int) throws(FieldFailure) -> Bool {
        guard tape.tag(value) == Tag.string else {
            guard enumeration.hasRawValues else { throw .type("a string") }
            guard tape.tag(value) == Tag.integer else {
                throw .type("a string, or the raw value of one of \(enumeration.accepted)")
            }
            guard let index = enumeration.index(ofRaw: tape.integer(value)) else {
                let message = "is not the raw value of one of \(enumeration.accepted), and no string"
                throw FieldFailure(.invalidValue, "\(message): \(tape.integer(value))")
            }
            out.append(enumeration.values[index])
            return true
        }
        let name = tape.string(value)
        guard !name.isEmpty else { return false }
        guard name.count <= maxBytes else {
            throw FieldFailure(.invalidValue, "is \(name.count) bytes; the limit is \(maxBytes)")
        }
        let known = enumeration.table.index(of: name)
        if known >= 0 {
            out.append(enumeration.values[known])
        } else {
            out.append(string: name)
        }
        return true
    }

    /// Writes an option set, sent as names or as bits, as names in their documented order.
    func writeOptions(_ value: Int, _ enumeration: CompiledEnumeration) throws(FieldFailure) {
        var mask: UInt64 = 0
        switch tape.tag(value) {
        case Tag.integer: mask = try bits(value, enumeration)
        case Tag.array:
            for (position, element) in tape.elements(of: value).enumerated() {
                do {
                    if tape.tag(element) == Tag.integer {
                        mask |= try bits(element, enumeration)
                    } else {
                        mask |= 1 << UInt64(try enumeration.index(of: element, on: tape))
                    }
                } catch {
                    throw error.within(String(position))
                }
            }
        default: throw .type("an array of \(enumeration.accepted), or their raw value")
        }
        out.append(UInt8(ascii: "["))
        let start = out.count
        for (index, name) in enumeration.values.enumerated() where mask & (1 << UInt64(index)) != 0 {
            if out.count > start {
                out.append(UInt8(ascii: ","))
            }
            out.append(name)
        }
        out.append(UInt8(ascii: "]"))
    }

    private func bits(_ value: Int, _ enumeration: CompiledEnumeration) throws(FieldFailure) -> UInt64 {
        guard let mask = enumeration.mask(ofRaw: tape.integer(value)) else {
            throw FieldFailure(
                .invalidValue,
                "has bits that are none of \(enumeration.accepted): \(tape.integer(value))"
            )
        }
        return mask
    }
}

extension CompiledEnumeration {
    /// Which value of an enumeration it is, by name or raw integer.
    func index(of value: Int, on tape: JSONTape) throws(FieldFailure) -> Int {
        switch tape.tag(value) {
        case JSONTape.Tag.string:
            let name = tape.string(value)
            let index = table.index(of: name)
            guard index >= 0 else { throw .value("is not one of \(accepted)", name) }
            return index
        case JSONTape.Tag.integer:
            guard let index = self.index(ofRaw: tape.integer(value)) else {
                throw FieldFailure(.invalidValue, "is not one of \(accepted): \(tape.integer(value))")
            }
            return index
        default:
            throw .type("one of \(accepted)")
        }
    }
}
