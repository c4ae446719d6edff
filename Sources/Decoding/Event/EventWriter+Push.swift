import NotificationEvents

extension EventWriter {
    private typealias Tag = JSONTape.Tag

    /// A value of a payload or header as JSON in the form of a field; `nil` where it counts as absent.
    mutating func json(
        of value: Int,
        _ conversion: ProviderPayload.Conversion,
        as field: CompiledField
    ) throws(FieldFailure) -> [UInt8]? {
        let start = out.count
        defer { out.truncate(to: start) }
        return try convert(conversion, value, field) ? Array(out.bytes(start..<out.count)) : nil
    }

    /// A number or boolean given as text, as JSON; `nil` if it is neither.
    func json(
        ofText value: Int,
        _ conversion: ProviderPayload.Conversion,
        as field: CompiledField
    ) -> [UInt8]? {
        guard tape.tag(value) == Tag.string else { return nil }
        let text = String(decoding: tape.string(value), as: UTF8.self)
        let start = out.count
        defer { out.truncate(to: start) }
        switch (conversion, field.type) {
        case (.flag, _):
            guard let flag = ["1": true, "true": true, "0": false, "false": false][text] else { return nil }
            out.append(flag ? "true" : "false")
        case (.same, .integer(let range)):
            guard let number = Int64(text), range.contains(number) else { return nil }
            out.append(integer: number)
        case (.same, .number(let range)):
            guard let number = Double(text), range.contains(number) else { return nil }
            out.append(number: number)
        default: return nil
        }
        return Array(out.bytes(start..<out.count))
    }

    private mutating func convert(
        _ conversion: ProviderPayload.Conversion,
        _ value: Int,
        _ field: CompiledField
    ) throws(FieldFailure) -> Bool {
        let tag = tape.tag(value)
        switch (conversion, tag) {
        case (.text, Tag.integer):
            out.append(string: String(tape.integer(value)))
        case (.flag, Tag.integer) where tape.integer(value) == 0 || tape.integer(value) == 1:
            out.append(tape.integer(value) == 1 ? "true" : "false")
        case (.flag, Tag.yes), (.flag, Tag.no):
            out.append(tag == Tag.yes ? "true" : "false")
        case (.flag, _):
            throw .type("1 or 0")
        case (.hyphenated, Tag.string):
            let name = String(decoding: tape.string(value), as: UTF8.self)
            let known = Array("\"\(name.split(separator: "-").joined(separator: "_"))\"".utf8)
            guard case .enumeration(let enumeration) = field.type, enumeration.values.contains(known) else {
                throw .value("is not known to APNs", tape.string(value))
            }
            out.append(known)
        case (.sound, Tag.string):
            let name = tape.string(value)
            out.append(
                name.isEmpty ? #""none""# : name.elementsEqual("default".utf8) ? #""default""# : #""custom""#
            )
        case (.sound, Tag.object):
            writeSoundDictionary(value)
        case (.sound, _):
            throw .type("a string or an object")
        case (.decimal, Tag.string):
            guard case .integer(let range) = field.type,
                let number = Int64(String(decoding: tape.string(value), as: UTF8.self)), range.contains(number)
            else { throw FieldFailure(.invalidValue, "is not a whole number that APNs accepts here") }
            out.append(integer: number)
        default:
            return try write(field.type, value)
        }
        return true
    }

    private func writeSoundDictionary(_ value: Int) {
        if tape.isCriticalSound(value) {
            out.append(#""critical""#)
        } else if let name = tape.value(of: "name", in: value), !tape.isString(name, Array("default".utf8)) {
            out.append(tape.isString(name, []) ? #""none""# : #""custom""#)
        } else {
            out.append(#""default""#)
        }
    }
}
