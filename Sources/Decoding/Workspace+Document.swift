import CSimdJSON
import NotificationEvents

extension Workspace {
    /// Reads a body that is one JSON text.
    /// - Parameter split: whether the elements of an array are items of their own.
    func decodeDocument(
        _ context: Normaliser.Context,
        cloudEvents: Bool,
        split: Bool
    ) throws(BodyError) -> [DecodedItem] {
        let offset = byteOrderMark
        let count = input.count - offset
        let tape: JSONTape
        do {
            tape = try parser.parse(input.base + offset, count: count)
        } catch {
            guard error == .unstorable else { throw Self.refusal(error) }
            return try decodeByGrammar(offset, context, cloudEvents: cloudEvents, split: split)
        }
        let isArray = split && tape.tag(JSONTape.root) == JSONTape.Tag.array
        let limit = context.policy.limits.events
        guard let spans = parser.items(input.base + offset, count: count, split: split, limit: limit) else {
            throw .tooManyEvents(limit: limit)
        }
        let normaliser = normaliser(context)
        var items: [DecodedItem] = []
        items.reserveCapacity(spans.count)
        var value = isArray ? JSONTape.root + 1 : JSONTape.root
        for (index, span) in spans.enumerated() {
            let range = (offset + Int(span.start))..<(offset + Int(span.end))
            let whole = ItemLocation(index: index, range: range, pointer: isArray ? "/\(index)" : "")
            let item = item(
                whole,
                depth: Int(span.depth),
                tape,
                at: value,
                isCloudEvent: cloudEvents,
                normaliser
            )
            items.append(DecodedItem(item, whole))
            value = tape.next(value)
        }
        return items
    }

    /// Reads a body that holds something that nothing can store, item by item: only those that depend on it are rejected.
    private func decodeByGrammar(
        _ offset: Int,
        _ context: Normaliser.Context,
        cloudEvents: Bool,
        split: Bool
    ) throws(BodyError) -> [DecodedItem] {
        let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[offset...])
        guard isUTF8(bytes),
            let found = JSONGrammar.items(bytes, split: split, limit: context.policy.limits.events)
        else {
            throw .notJSON
        }
        guard found.count <= context.policy.limits.events else {
            throw .tooManyEvents(limit: context.policy.limits.events)
        }
        let isArray = split && bytes.first { !JSONParser.isBlank($0) } == UInt8(ascii: "[")
        let normaliser = normaliser(context)
        return found.enumerated().map { index, item in
            let range = (item.range.lowerBound + offset)..<(item.range.upperBound + offset)
            let location = ItemLocation(index: index, range: range, pointer: isArray ? "/\(index)" : "")
            return DecodedItem(alone(location, item, isCloudEvent: cloudEvents, normaliser), location)
        }
    }

    /// Parses and normalises one item by itself, whose depth and defect are known from the grammar.
    func alone(
        _ location: ItemLocation,
        _ item: JSONGrammar.Item,
        isCloudEvent: Bool,
        _ normaliser: Normaliser
    ) -> DecodedOutcome {
        func reject(_ failure: FieldFailure) -> DecodedOutcome {
            unparsed(location, EventError(failure, prefix: location.pointer))
        }
        let limits = normaliser.limits
        if item.defect != nil || item.hasLargeIntegers || item.depth > limits.depth,
            let outcome = mended(location, isCloudEvent: isCloudEvent, normaliser)
        {
            return outcome
        }
        if let defect = item.defect {
            return reject(FieldFailure(.invalidValue, defect.message, path: defect.path))
        }
        if item.hasLargeIntegers {
            return reject(.tooManyLargeIntegers)
        }
        if item.depth > limits.depth {
            return reject(FieldFailure(.tooDeep, "is nested \(item.depth) levels deep; the limit is \(limits.depth)"))
        }
        guard let tape = try? parser.parse(input.base + location.range.lowerBound, count: location.range.count) else {
            return reject(FieldFailure(.invalidJSON, "is not JSON"))
        }
        return self.item(
            location,
            depth: item.depth,
            tape,
            at: JSONTape.root,
            isCloudEvent: isCloudEvent,
            normaliser
        )
    }

    private static func refusal(_ failure: JSONParser.Failure) -> BodyError {
        switch failure {
        case .notUTF8: .invalidJSON("the body is not UTF-8")
        case .noMemory: .noMemory
        case .invalid, .unstorable: .invalidJSON("the body is not JSON, or is cut short")
        }
    }

    /// The number of bytes of a byte order mark to skip (RFC 8259, section 8.1).
    var byteOrderMark: Int {
        input.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    private func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }
}

extension JSONParser {
    /// Whether a byte is white space between the tokens of JSON.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
