import CSimdJSON
import NotificationEvents

extension Workspace {
    /// Reads the body in ``input`` as items of a sender's format.
    func translate(
        _ format: SenderFormat,
        _ context: Normaliser.Context,
        _ others: (reading: Workspace, nested: Workspace)
    ) throws(BodyError) -> TranslatedBody {
        let translator = Translator(format, context, reading: others.reading, nested: others.nested)
        if case .segment = format { return try translateCalls(translator, context) }
        let offset = byteOrderMark
        do {
            let tape = try parser.parse(input.base + offset, count: input.count - offset)
            let root = TapeValue(tape: tape, index: JSONTape.root)
            var spans: [Range<Int>]?
            func takeMended(_ index: Int, _ pointer: String) -> Bool {
                let found = spans ?? itemRanges(offset, limit: context.policy.limits.events)
                spans = found
                return self.takeMended(index, pointer, found[index], translator, context)
            }
            guard root.tag == JSONTape.Tag.array else {
                translator.take(0, "", root) { takeMended(0, "") }
                return TranslatedBody(events: translator.events)
            }
            try takeAll(root, "", translator, context, mended: takeMended)
        } catch let error as BodyError {
            throw error
        } catch {
            guard case JSONParser.Failure.unstorable? = error as? JSONParser.Failure else {
                throw .notJSON
            }
            try translateByGrammar(offset, translator, context)
        }
        return TranslatedBody(events: translator.events)
    }

    /// Where the items of the body just parsed lie; none where there are more than `limit`.
    private func itemRanges(_ offset: Int, limit: Int) -> [Range<Int>] {
        let items = parser.items(input.base + offset, count: input.count - offset, split: true, limit: limit)
        return items?.map { (offset + Int($0.start))..<(offset + Int($0.end)) } ?? []
    }

    private func takeAll(
        _ array: TapeValue,
        _ pointer: String,
        _ translator: Translator,
        _ context: Normaliser.Context,
        mended: (Int, String) -> Bool = { _, _ in false }
    ) throws(BodyError) {
        let limit = context.policy.limits.events
        guard !array.elements.dropFirst(limit).contains(where: { _ in true }) else {
            throw .tooManyEvents(limit: limit)
        }
        for (index, item) in array.elements.enumerated() {
            let pointer = "\(pointer)/\(index)"
            translator.take(index, pointer, item) { mended(index, pointer) }
        }
    }

    /// Takes an item without the parts that nothing can store, or that nest too deep; `false` where its events depend on them.
    private func takeMended(
        _ index: Int,
        _ pointer: String,
        _ range: Range<Int>,
        _ translator: Translator,
        _ context: Normaliser.Context
    ) -> Bool {
        let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[range])
        let limits = context.policy.limits
        guard bytes.count <= limits.eventBytes, let inner = try? inner(),
            let mended = MendedItem(bytes, depth: limits.depth)
        else { return false }
        let readings = mended.texts.map { text -> [DecodedItem] in
            inner.input.fill(text)
            guard let tape = try? inner.parser.parse(inner.input.base, count: inner.input.count) else { return [] }
            return translator.events(index, pointer, TapeValue(tape: tape, index: JSONTape.root))
        }
        guard let events = mended.events(readings, context.kept), !events.isEmpty else { return false }
        translator.take(
            events.map { event in
                guard case .rejected(var rejected) = event.item, rejected.redacted == nil else { return event }
                rejected.length = bytes.count
                rejected.digest = ContentHashing.content(bytes)
                var event = event
                event.item = .rejected(rejected)
                return event
            }
        )
        return true
    }

    /// Reads a body that holds something that nothing can store, item by item: only those that depend on it are rejected.
    private func translateByGrammar(
        _ offset: Int,
        _ translator: Translator,
        _ context: Normaliser.Context
    ) throws(BodyError) {
        let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[offset...])
        guard String(validating: bytes, as: UTF8.self) != nil,
            let found = JSONGrammar.items(bytes, split: true, limit: context.policy.limits.events)
        else {
            throw .notJSON
        }
        guard found.count <= context.policy.limits.events else {
            throw .tooManyEvents(limit: context.policy.limits.events)
        }
        let isArray = bytes.first { !JSONParser.isBlank($0) } == UInt8(ascii: "[")
        for (index, item) in found.enumerated() {
            let pointer = isArray ? "/\(index)" : ""
            let range = (item.range.lowerBound + offset)..<(item.range.upperBound + offset)
            let whole = UnsafeRawBufferPointer(rebasing: input.bytes[range])
            if item.defect != nil || item.hasLargeIntegers || item.depth > context.policy.limits.depth,
                takeMended(index, pointer, range, translator, context)
            {
                continue
            }
            if let defect = item.defect {
                let failure = FieldFailure(.invalidValue, defect.message, path: defect.path)
                translator.reject(index, pointer, EventError(failure, prefix: pointer), whole)
            } else if let tape = try? parser.parse(input.base + range.lowerBound, count: range.count) {
                translator.take(index, pointer, TapeValue(tape: tape, index: JSONTape.root))
            } else {
                let limit = context.policy.limits.eventBytes
                let failure =
                    if whole.count > limit {
                        FieldFailure(.tooLarge, "is \(whole.count) bytes; the limit is \(limit)")
                    } else if item.hasLargeIntegers {
                        FieldFailure.tooManyLargeIntegers
                    } else {
                        FieldFailure(.tooDeep, "nests \(item.depth) deep, or is not JSON")
                    }
                translator.reject(index, pointer, EventError(failure, prefix: pointer), whole)
            }
        }
    }

    /// Reads one call, or calls in `batch` (Segment, "HTTP API": track and batch).
    private func translateCalls(
        _ translator: Translator,
        _ context: Normaliser.Context
    ) throws(BodyError) -> TranslatedBody {
        let offset = byteOrderMark
        guard let tape = parseMended(offset) else { throw .notJSON }
        let root = TapeValue(tape: tape, index: JSONTape.root)
        let sentAt = context.sentAt ?? sentAt(root)
        translator.context.sentAt = sentAt
        if let batch = root.object?["batch"] {
            guard batch.tag == JSONTape.Tag.array else { throw .invalidJSON("batch is not an array of calls") }
            try takeAll(batch, "/batch", translator, context)
        } else if root.tag == JSONTape.Tag.array {
            try takeAll(root, "", translator, context)
        } else {
            translator.take(0, "", root)
        }
        return TranslatedBody(events: translator.events, sentAt: sentAt)
    }

    private func sentAt(_ root: TapeValue) -> Timestamp? {
        root.object?["sentAt"]?.text.flatMap { Timestamp.parse($0, digits: 9)?.timestamp }
    }

    /// Parses the body; where it holds escapes that stand for no character, U+FFFD takes their pointer. A call's texts are
    /// the app's own, cut anywhere, and there is no way to tell its item from its neighbours.
    private func parseMended(_ offset: Int) -> JSONTape? {
        if let tape = try? parser.parse(input.base + offset, count: input.count - offset) { return tape }
        guard String(validating: input.bytes, as: UTF8.self) != nil, input.replaceLoneEscapes() else { return nil }
        return try? parser.parse(input.base + offset, count: input.count - offset)
    }
}
