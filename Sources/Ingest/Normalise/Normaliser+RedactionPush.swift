import NotificationEvents

extension Normaliser {
    private typealias Tag = JSONTape.Tag

    /// What stands for the words of an alert: they are gone, and that there were any is known.
    private static let redactedAlert: StaticString = #"{"redacted":true}"#

    /// Writes of a payload what a request takes from it.
    func redactPayload(_ value: Int) -> Bool {
        guard tape.tag(value) == Tag.object else { return false }
        var groups: [String] = []
        for mapping in ProviderPayload.payload where !groups.contains(mapping.path[0]) {
            groups.append(mapping.path[0])
        }
        out.append(UInt8(ascii: "{"))
        for group in groups {
            guard let object = tape.value(of: group, in: value), tape.tag(object) == Tag.object else { continue }
            separate()
            out.append(string: group)
            out.append(":{")
            for mapping in ProviderPayload.payload where mapping.path[0] == group {
                let member = tape.value(of: mapping.path[1], in: object)
                if let member = member ?? mapping.camelCase.flatMap({ tape.value(of: $0, in: object) }) {
                    redactMember(mapping, member)
                }
            }
            if group == "aps", let alert = tape.value(of: "alert", in: object), hasWords(alert) {
                separate()
                out.append(#""alert":"#)
                out.append(Self.redactedAlert)
            }
            out.append(UInt8(ascii: "}"))
        }
        out.append(UInt8(ascii: "}"))
        return true
    }

    /// Writes the headers that a request takes something from; never a key to a provider's account.
    func redactHeaders(_ value: Int) -> Bool {
        guard tape.tag(value) == Tag.object else { return false }
        out.append(UInt8(ascii: "{"))
        var index = value + 1
        let end = tape.close(value)
        while index < end {
            let name = String(decoding: tape.string(index), as: UTF8.self).lowercased()
            if let mapping = ProviderPayload.headers.first(where: { $0.path[0] == name }) {
                redactMember(mapping, index + 1)
            }
            index = tape.next(index + 1)
        }
        out.append(UInt8(ascii: "}"))
        return true
    }

    private func redactMember(_ mapping: ProviderPayload, _ value: Int) {
        let isContainer = tape.tag(value) == Tag.object || tape.tag(value) == Tag.array
        guard !isContainer || mapping.conversion == .sound else { return }
        separate()
        out.append(string: mapping.path[mapping.path.count - 1])
        out.append(UInt8(ascii: ":"))
        if mapping.conversion == .sound {
            redactSound(value)
        } else if ["notification_id", "request_identifier"].contains(mapping.field), tape.tag(value) == Tag.string {
            redactIdentifier(tape.string(value))
        } else {
            out.append(scalar: value, of: tape)
        }
    }

    /// Writes what sort of sound it is.
    private func redactSound(_ value: Int) {
        guard tape.tag(value) == Tag.object else {
            if tape.tag(value) == Tag.array {
                out.append("null")
            } else {
                out.append(scalar: value, of: tape)
            }
            return
        }
        let isNamed = tape.value(of: "name", in: value).map { !tape.isString($0, Array("default".utf8)) }
        if isCritical(value) {
            out.append(#"{"critical":1}"#)
        } else {
            out.append(isNamed == true ? #"{"name":"custom"}"# : #"{"name":"default"}"#)
        }
    }

    private func hasWords(_ alert: Int) -> Bool {
        switch tape.tag(alert) {
        case Tag.string: !tape.string(alert).isEmpty
        case Tag.object: alert + 1 < tape.close(alert)
        default: true
        }
    }

    /// Writes a comma, unless it is the first of an object.
    func separate() {
        if out.bytes.last != UInt8(ascii: "{") {
            out.append(UInt8(ascii: ","))
        }
    }
}
