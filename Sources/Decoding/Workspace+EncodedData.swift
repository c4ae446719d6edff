import NotificationEvents

extension Workspace {
    /// Reads a CloudEvent with its data in `data_base64` (CloudEvents, JSON event format, section 3.1.1) as if the data were in `data`.
    ///
    /// Where that cannot be, only its length and digest are kept: without its data it would be another event.
    func encodedItem(
        _ location: ItemLocation,
        depth: Int,
        _ tape: JSONTape,
        at value: Int,
        _ envelope: CloudEventEnvelope,
        _ normaliser: Normaliser
    ) -> DecodedOutcome {
        do throws(FieldFailure) {
            try Self.check(location, depth: depth, normaliser.limits)
            let inner = try inner()
            inner.input.fill(try Self.decoded(tape, value, envelope))
            guard let outcome = try? inner.decode(.cloudEvent, normaliser.context).first?.item else {
                throw FieldFailure(.invalidValue, "must be the Base64 of JSON", path: [CloudEventEnvelope.encodedData])
            }
            guard case .rejected(var rejected) = outcome else { return outcome }
            if rejected.error.pointer == "/data" || rejected.error.pointer.hasPrefix("/data/") {
                // No pointer leads into encoded data. The message names the field.
                rejected.error.pointer = "/\(CloudEventEnvelope.encodedData)"
            }
            rejected.error.pointer = location.pointer + rejected.error.pointer
            return .rejected(sent(rejected, location))
        } catch {
            return unparsed(location, EventError(error, prefix: location.pointer))
        }
    }

    /// The CloudEvent with its data as JSON.
    private static func decoded(
        _ tape: JSONTape,
        _ value: Int,
        _ envelope: CloudEventEnvelope
    ) throws(FieldFailure) -> OutputBuffer {
        func refused(_ message: String) -> FieldFailure {
            FieldFailure(.invalidValue, message, path: [CloudEventEnvelope.encodedData])
        }
        guard envelope.data == nil else { throw refused("must not be there beside data") }
        guard envelope.hasJSON(tape) else {
            throw refused("is not JSON, as datacontenttype says: send the event's own fields as JSON")
        }
        guard let encoded = envelope.encodedData, tape.tag(encoded) == JSONTape.Tag.string,
            let data = [UInt8](base64: tape.string(encoded))
        else { throw refused("must be Base64, with its padding") }
        // What is no JSON by itself could end the envelope.
        let isJSON = data.withUnsafeBytes {
            String(validating: $0, as: UTF8.self) != nil && JSONGrammar.items($0, split: false) != nil
        }
        guard isJSON else { throw refused("must be the Base64 of JSON") }
        let out = OutputBuffer()
        out.append(UInt8(ascii: "{"))
        for member in tape.members(of: value) {
            let name = String(decoding: tape.string(member.name), as: UTF8.self)
            guard name != "data", name != CloudEventEnvelope.encodedData else { continue }
            out.append(string: name)
            out.append(UInt8(ascii: ":"))
            out.append(kept: member.value, of: tape)
            out.append(UInt8(ascii: ","))
        }
        out.append(#""data":"#)
        out.append(data)
        out.append(UInt8(ascii: "}"))
        return out
    }
}

extension [UInt8] {
    /// Decodes Base64 with padding (RFC 4648, section 4); `nil` where it is none.
    init?(base64 text: UnsafeRawBufferPointer) {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
        self.init()
        reserveCapacity(text.count / 4 * 3)
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in text.dropLast(padding) {
            guard let value = Self.base64Value(byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
    }

    private static func base64Value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
