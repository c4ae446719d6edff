import CSimdJSON
import NotificationEvents

/// The memory that decoding takes, reused from one body to the next. It belongs to one call at a time: the pool of
/// ``IngestDecoder`` hands it out, which is why it may cross threads.
final class Workspace: @unchecked Sendable {
    let input = InputBuffer()
    let parser: JSONParser
    private var normaliser: Normaliser?

    /// Makes a workspace; `nil` where memory is short.
    init?() {
        guard let parser = JSONParser() else { return nil }
        self.parser = parser
    }

    /// Whether it is small enough to be kept: a large body leaves several times its size behind.
    var isSmall: Bool {
        input.capacity <= 1 << 20
    }

    /// Takes a body in, decompressed.
    func fill(_ body: UnsafeRawBufferPointer, _ encoding: String?, _ limits: IngestLimits) throws(BodyError) {
        switch encoding?.trimmingBlanks().lowercased() {
        case nil, "", "identity":
            guard body.count <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes) }
            input.fill(body)
        case "gzip", "x-gzip":
            try input.inflate(body, limit: limits.bodyBytes)
        default:
            throw .unsupportedEncoding
        }
    }

    /// Makes a CloudEvent of binary mode (CloudEvents, HTTP protocol binding, section 3.1) one of structured mode.
    func wrap(_ attributes: [(name: String, value: String)]) throws(BodyError) {
        // A body that is no JSON by itself could end the envelope.
        guard JSONGrammar.items(input.bytes, split: false) != nil else {
            throw .badJSON("the body is no JSON, not UTF-8, or cut short")
        }
        let out = OutputBuffer()
        out.append(UInt8(ascii: "{"))
        for attribute in attributes {
            out.append(string: attribute.name)
            out.append(UInt8(ascii: ":"))
            out.append(string: attribute.value)
            out.append(UInt8(ascii: ","))
        }
        out.append(#""data":"#)
        out.append(input.bytes)
        out.append(UInt8(ascii: "}"))
        input.fill(out.bytes)
    }

    /// Reads the body in ``input``.
    func decode(_ format: BodyFormat, _ setting: Normaliser.Setting) throws(BodyError) -> [IngestItem] {
        switch format {
        case .ndjson: try decodeLines(setting)
        case .json: try decodeDocument(setting, cloudEvents: false, split: true)
        case .cloudEventBatch: try decodeDocument(setting, cloudEvents: true, split: true)
        case .cloudEvent: try decodeDocument(setting, cloudEvents: true, split: false)
        }
    }

    func normaliser(_ setting: Normaliser.Setting, _ tape: JSONTape) -> Normaliser {
        guard let normaliser else {
            let made = Normaliser(setting: setting, tape: tape)
            self.normaliser = made
            return made
        }
        normaliser.setting = setting
        normaliser.tape = tape
        return normaliser
    }

    /// An item that could not be parsed.
    func unparsed(_ index: Int, _ range: Range<Int>, _ error: EventError) -> IngestItem {
        .rejected(
            RejectedItem(
                index: index,
                error: error,
                length: range.count,
                digest: Digests.content(UnsafeRawBufferPointer(rebasing: input.bytes[range]))
            )
        )
    }

    /// Normalises an item that was parsed.
    func item(
        _ index: Int,
        _ place: JSONParser.Item,
        offset: Int,
        at value: Int,
        prefix: String,
        cloudEvents: Bool,
        _ normaliser: Normaliser
    ) -> IngestItem {
        do throws(FieldFailure) {
            let kind = Result { () throws(FieldFailure) in
                try normaliser.begin(value, cloudEvent: cloudEvents)
            }
            let limits = normaliser.setting.policy.limits
            if Int(place.end - place.start) > limits.eventBytes {
                throw FieldFailure(.tooLarge, "has \(place.end - place.start) bytes and may have \(limits.eventBytes)")
            }
            if Int(place.depth) > limits.depth {
                throw FieldFailure(.tooDeep, "nests \(place.depth) deep and may nest \(limits.depth) deep")
            }
            let event = try normaliser.normalise(try kind.get())
            return .accepted(event, warnings: normaliser.warnings)
        } catch {
            let range = (offset + Int(place.start))..<(offset + Int(place.end))
            return .rejected(
                RejectedItem(
                    index: index,
                    id: normaliser.sentID(),
                    kind: normaliser.sentKind?.kind.name,
                    error: EventError(normaliser.located(error), prefix: prefix),
                    redacted: normaliser.redactedItem(),
                    length: range.count,
                    digest: Digests.content(UnsafeRawBufferPointer(rebasing: input.bytes[range]))
                )
            )
        }
    }
}

extension Normaliser {
    /// The id that the item was sent with, if it can be read.
    func sentID() -> EventID? {
        if sent.isCloudEvent {
            return sent.id
        }
        guard sent.object != 0, let value = tape.value(of: "id", in: sent.object),
            tape.tag(value) == JSONTape.Tag.string
        else { return nil }
        return EventID(utf8: tape.string(value))
    }
}
