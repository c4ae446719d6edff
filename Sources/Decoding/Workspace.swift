import NotificationEvents

/// The memory that decoding takes, reused from one body to the next. It belongs to one call at a time: the pool of
/// ``EventDecoder`` hands it out, which is why it may cross threads.
final class Workspace: @unchecked Sendable {
    let input = InputBuffer()
    let parser: JSONParser
    /// Where events are written.
    private let out = OutputBuffer()
    private let pool = FieldValuesPool()
    /// Where an item is parsed again that cannot be read as it was sent, with the body still parsed here.
    private var spare: Workspace?

    /// Makes a workspace; `nil` where memory is short.
    init?() {
        guard let parser = JSONParser() else { return nil }
        self.parser = parser
    }

    /// Whether it is small enough to be kept: a large body leaves several times its size behind.
    var isSmall: Bool {
        input.capacity <= 1 << 20 && spare?.isSmall != false
    }

    /// The workspace for an item that is parsed again.
    ///
    /// - Throws: ``FieldFailure`` where memory is short.
    func inner() throws(FieldFailure) -> Workspace {
        guard let found = spare ?? Workspace() else {
            throw FieldFailure(.tooLarge, "cannot be read now, as memory is short: send it again")
        }
        spare = found
        return found
    }

    /// Takes a body in, decompressed.
    func fill(_ body: UnsafeRawBufferPointer, _ encoding: String?, _ limits: DecodingLimits) throws(BodyError) {
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
            throw .notJSON
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
    func decode(_ format: BodyFormat, _ context: Normaliser.Context) throws(BodyError) -> [DecodedItem] {
        switch format {
        case .ndjson: try decodeLines(context)
        case .json: try decodeDocument(context, cloudEvents: false, split: true)
        case .cloudEventBatch: try decodeDocument(context, cloudEvents: true, split: true)
        case .cloudEvent: try decodeDocument(context, cloudEvents: true, split: false)
        }
    }

    /// An item that could not be parsed.
    func unparsed(_ location: ItemLocation, _ error: EventError) -> DecodedOutcome {
        .rejected(RejectedItem(error: error, length: location.range.count, digest: digest(location)))
    }

    func normaliser(_ context: Normaliser.Context) -> Normaliser {
        Normaliser(context, out, pool)
    }

    /// Normalises an item that was parsed.
    func item(
        _ location: ItemLocation,
        depth: Int,
        _ tape: JSONTape,
        at value: Int,
        isCloudEvent: Bool,
        _ normaliser: Normaliser
    ) -> DecodedOutcome {
        let item = ParsedItem(tape, at: value, isCloudEvent: isCloudEvent)
        if let envelope = item.envelope, envelope.encodedData != nil {
            return encodedItem(location, depth: depth, tape, at: value, envelope, normaliser)
        }
        if depth > normaliser.limits.depth, let mended = mended(location, isCloudEvent: isCloudEvent, normaliser) {
            return mended
        }
        let kind = Result { () throws(FieldFailure) in try normaliser.kind(of: item) }
        do throws(FieldFailure) {
            try Self.check(location, depth: depth, normaliser.limits)
            let (event, warnings) = try normaliser.event(item, kind.get())
            return .accepted(event, warnings: warnings)
        } catch {
            let kind = try? kind.get()
            return .rejected(
                RejectedItem(
                    id: item.id,
                    kind: kind?.kind.name,
                    error: EventError(item.located(error, kind: kind), prefix: location.pointer),
                    redacted: normaliser.redacted(item, kind, length: location.range.count),
                    length: location.range.count,
                    digest: digest(location)
                )
            )
        }
    }

    /// Checks the size of an item.
    static func check(_ location: ItemLocation, depth: Int, _ limits: DecodingLimits) throws(FieldFailure) {
        if location.range.count > limits.eventBytes {
            throw FieldFailure(.tooLarge, "is \(location.range.count) bytes; the limit is \(limits.eventBytes)")
        }
        if depth > limits.depth {
            throw FieldFailure(.tooDeep, "is nested \(depth) levels deep; the limit is \(limits.depth)")
        }
    }

    /// An item that was rejected as it was read again, with length and digest of what was sent.
    func sent(_ item: RejectedItem, _ location: ItemLocation) -> RejectedItem {
        var item = item
        item.length = location.range.count
        item.digest = digest(location)
        return item
    }

    private func digest(_ location: ItemLocation) -> ContentDigest {
        ContentHashing.content(UnsafeRawBufferPointer(rebasing: input.bytes[location.range]))
    }
}

/// Where an item is in its body.
struct ItemLocation {
    /// Which item it is, from 0.
    var index: Int
    /// Its bytes in the ``InputBuffer``.
    var range: Range<Int>
    /// Its JSON pointer; empty where the item is the whole body.
    var pointer: String
}

extension DecodedItem {
    init(_ item: DecodedOutcome, _ location: ItemLocation) {
        self.init(item: item, index: location.index, pointer: location.pointer)
    }
}
