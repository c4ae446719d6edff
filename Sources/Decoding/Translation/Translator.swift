import NotificationEvents

/// Turns the items of a sender's body into events: each is written in Notilog's own form, and then takes the way that
/// every other event takes, so that no rule is there twice.
final class Translator {
    private let format: SenderFormat
    /// What applies to every event; the sender's clock may be told by the body.
    var context: Normaliser.Context
    private let limits: DecodingLimits
    /// Where the events are read again.
    private let reading: Workspace
    /// Where texts are read that are JSON within JSON.
    private let nested: Workspace
    private let writer = DraftWriter()
    /// The item at hand, without white space.
    private let copy = OutputBuffer()
    private(set) var events: [DecodedItem] = []

    init(_ format: SenderFormat, _ context: Normaliser.Context, reading: Workspace, nested: Workspace) {
        self.format = format
        self.context = context
        self.reading = reading
        self.nested = nested
        limits = context.policy.limits
        // An item is measured as it was sent; what it becomes is hardly longer.
        self.context.policy.limits.eventBytes = max(limits.eventBytes * 2, 1 << 16)
    }

    /// The events of one item, which are not taken.
    func events(_ index: Int, _ pointer: String, _ value: TapeValue) -> [DecodedItem] {
        let start = events.count
        take(index, pointer, value)
        defer { events.removeSubrange(start...) }
        return Array(events[start...])
    }

    /// Takes events of an item that was read elsewhere.
    func take(_ read: [DecodedItem]) {
        events += read
    }

    /// Takes one item.
    ///
    /// - Parameter mended: called if it nests too deep; takes it without what is too deep, and says whether that can be done.
    func take(_ index: Int, _ pointer: String, _ value: TapeValue, mended: () -> Bool = { false }) {
        do throws(FieldFailure) {
            let depth = value.depth
            if depth > limits.depth, mended() { return }
            copy.truncate(to: 0)
            copy.append(value)
            guard depth <= limits.depth else {
                throw FieldFailure(.tooDeep, "is nested \(depth) levels deep; the limit is \(limits.depth)")
            }
            guard copy.count <= limits.eventBytes else {
                throw FieldFailure(.tooLarge, "is \(copy.count) bytes; the limit is \(limits.eventBytes)")
            }
            guard let item = value.object else { throw FieldFailure.type("a JSON object") }
            switch format {
            case .apns: try take(index, pointer, PushExchange.apns(item) { readNested($0) })
            case .fcm: try take(index, pointer, PushExchange.fcm(item) { readNested($0) })
            case .segment:
                let call = try SegmentCall(item)
                writer.warnings = Warnings()
                call.write(writer)
                events.append(decode(index, pointer))
            }
        } catch {
            reject(index, pointer, EventError(error, prefix: pointer), copy.bytes)
        }
    }

    private func take(_ index: Int, _ pointer: String, _ push: PushExchange) {
        writer.warnings = push.warnings
        if push.hasRequest {
            push.writeRequest(writer)
            events.append(decode(index, pointer))
            writer.warnings = Warnings()
        }
        if push.response != nil {
            push.writeResult(writer)
            events.append(decode(index, pointer))
        }
    }

    /// Puts an item aside that became no event; nothing of it is kept but its length and digest, as nobody knows which of
    /// a sender's own fields hold the words of an alert.
    func reject(_ index: Int, _ pointer: String, _ error: EventError, _ bytes: UnsafeRawBufferPointer) {
        let item = RejectedItem(error: error, length: bytes.count, digest: ContentHashing.content(bytes))
        events.append(DecodedItem(item: .rejected(item), index: index, pointer: pointer))
    }

    /// Reads the event that was just written.
    private func decode(_ index: Int, _ pointer: String) -> DecodedItem {
        reading.input.fill(writer.out.bytes)
        let whole = ItemLocation(index: index, range: 0..<reading.input.count, pointer: "")
        var item: DecodedOutcome
        if let tape = try? reading.parser.parse(reading.input.base, count: whole.range.count) {
            item = reading.item(
                whole,
                depth: 1,
                tape,
                at: JSONTape.root,
                isCloudEvent: false,
                reading.normaliser(context)
            )
        } else {
            item = reading.unparsed(whole, EventError(code: .invalidJSON, pointer: "", message: "the item is not JSON"))
        }
        switch item {
        case .accepted(let event, let warnings):
            item = .accepted(
                event,
                warnings: writer.warnings.names + warnings.map { String(writer.source(of: "/" + $0).dropFirst()) }
            )
        case .rejected(var rejected):
            rejected.error.pointer = pointer + writer.source(of: rejected.error.pointer)
            item = .rejected(rejected)
        }
        return DecodedItem(item: item, index: index, pointer: pointer, kind: writer.kind)
    }

    /// Reads a text that is JSON itself; it is valid until the next one is read.
    private func readNested(_ text: TapeValue) -> TapeObject? {
        nested.input.fill(text.tape.string(text.index))
        guard let tape = try? nested.parser.parse(nested.input.base, count: nested.input.count),
            case let value = TapeValue(tape: tape, index: JSONTape.root), value.depth <= limits.depth
        else { return nil }
        return value.object
    }
}
