import NotificationEvents

extension ItemRedaction {
    private typealias Tag = JSONTape.Tag

    /// The replacement for the words of an alert, or what else is not kept: it shows only that there was anything.
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
        var seen: Set<String> = []
        for member in tape.members(of: value) where tape.tag(member.value) != Tag.null {
            let name = String(decoding: tape.string(member.name), as: UTF8.self).lowercased()
            // Of two in different case the first counts. Here they have one name, of which jsonb keeps the last.
            if let mapping = ProviderPayload.headers.first(where: { $0.path[0] == name }), seen.insert(name).inserted {
                writeMember(mapping, member.value)
            }
        }
        out.append(UInt8(ascii: "}"))
    }

    private func writeMember(_ mapping: ProviderPayload, _ value: Int) {
        let tag = tape.tag(value)
        let isID = ["notification_id", "request_identifier", "activity_id"].contains(mapping.field)
        out.appendKey(mapping.path[mapping.path.count - 1])
        if mapping.conversion == .sound, tag == Tag.object || tag == Tag.string {
            writeSound(value)
        } else if tag == Tag.array {
            out.append("[]")
        } else if tag == Tag.object {
            // It has no value, but whether there is a badge is one.
            out.append(tape.hasContent(value) ? Self.redactedAlert : "{}")
        } else if isID, tag == Tag.string {
            writeIdentifier(value, of: mapping.field)
        } else if isID, tag == Tag.integer {
            writeIdentifier(digitsOf: value, of: mapping.field)
        } else {
            writeScalar(type(of: mapping.field) ?? .boolean, value)
        }
    }

    /// Writes what sort of sound it is.
    private func writeSound(_ value: Int) {
        func write(name: Int) {
            if tape.isString(name, []) || tape.isString(name, Array("default".utf8)) {
                out.append(string: tape.string(name))
            } else {
                out.append(#""custom""#)
            }
        }
        guard tape.tag(value) == Tag.object else { return write(name: value) }
        if tape.isCriticalSound(value) {
            out.append(#"{"critical":1}"#)
        } else if !tape.hasContent(value) {
            out.append("{}")
        } else if let name = tape.value(of: "name", in: value) {
            out.append(#"{"name":"#)
            write(name: name)
            out.append("}")
        } else {
            out.append(#"{"name":"default"}"#)
        }
    }
}
