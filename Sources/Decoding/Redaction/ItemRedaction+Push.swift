import NotificationEvents

extension ItemRedaction {
    private typealias Tag = JSONTape.Tag

    /// The replacement for the words of an alert: it shows only that there were any.
    private static let redactedAlert: StaticString = #"{"redacted":true}"#

    /// Writes of a payload what a request takes from it.
    func writePayload(_ value: Int) {
        var groups: [String] = []
        for mapping in ProviderPayload.payload where !groups.contains(mapping.path[0]) {
            groups.append(mapping.path[0])
        }
        out.append(UInt8(ascii: "{"))
        for group in groups {
            guard let object = tape.value(of: group, in: value), tape.tag(object) == Tag.object else { continue }
            out.appendKey(group)
            out.append(UInt8(ascii: "{"))
            for mapping in ProviderPayload.payload where mapping.path[0] == group {
                let member = tape.value(of: mapping.path[1], in: object)
                if let member = member ?? mapping.camelCase.flatMap({ tape.value(of: $0, in: object) }) {
                    writeMember(mapping, member)
                }
            }
            if group == "aps", let alert = tape.value(of: "alert", in: object), tape.hasContent(alert) {
                out.appendKey("alert")
                out.append(Self.redactedAlert)
            }
            out.append(UInt8(ascii: "}"))
        }
        out.append(UInt8(ascii: "}"))
    }

    /// Writes the headers that a request takes something from; never a key to a provider's account.
    func writeHeaders(_ value: Int) {
        out.append(UInt8(ascii: "{"))
        for member in tape.members(of: value) {
            let name = String(decoding: tape.string(member.name), as: UTF8.self).lowercased()
            if let mapping = ProviderPayload.headers.first(where: { $0.path[0] == name }) {
                writeMember(mapping, member.value)
            }
        }
        out.append(UInt8(ascii: "}"))
    }

    private func writeMember(_ mapping: ProviderPayload, _ value: Int) {
        let isContainer = tape.tag(value) == Tag.object || tape.tag(value) == Tag.array
        guard !isContainer || mapping.conversion == .sound else { return }
        out.appendKey(mapping.path[mapping.path.count - 1])
        if mapping.conversion == .sound {
            writeSound(value)
        } else if ["notification_id", "request_identifier"].contains(mapping.field), tape.tag(value) == Tag.string {
            writeIdentifier(value, of: mapping.field)
        } else {
            writeScalar(type(of: mapping.field) ?? .boolean, value)
        }
    }

    /// Writes what sort of sound it is.
    private func writeSound(_ value: Int) {
        switch tape.tag(value) {
        case Tag.array: out.append("null")
        case Tag.object:
            let isNamed = tape.value(of: "name", in: value).map { !tape.isString($0, Array("default".utf8)) }
            if tape.isCriticalSound(value) {
                out.append(#"{"critical":1}"#)
            } else {
                out.append(isNamed == true ? #"{"name":"custom"}"# : #"{"name":"default"}"#)
            }
        default: out.append(scalar: value, of: tape)
        }
    }
}
