import CSimdJSON
import NotificationEvents

extension Workspace {
    /// Reads a body that is one JSON text.
    /// - Parameter split: whether the elements of an array are items of their own.
    func decodeDocument(
        _ setting: Normaliser.Setting,
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
            return try decodeByGrammar(offset, setting, cloudEvents: cloudEvents, split: split)
        }
        let isArray = split && tape.tag(JSONTape.root) == JSONTape.Tag.array
        let places = parser.items(input.base + offset, count: count, split: split)
        guard places.count <= setting.policy.limits.events else {
            throw .tooManyEvents(limit: setting.policy.limits.events)
        }
        let normaliser = normaliser(setting)
        var items: [DecodedItem] = []
        items.reserveCapacity(places.count)
        var value = isArray ? JSONTape.root + 1 : JSONTape.root
        for (index, place) in places.enumerated() {
            let range = (offset + Int(place.start))..<(offset + Int(place.end))
            let whole = ItemPlace(index: index, range: range, pointer: isArray ? "/\(index)" : "")
            let item = item(
                whole,
                depth: Int(place.depth),
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

    /// Reads a body that holds something that nothing can store, item by item: only those that hold it are rejected.
    private func decodeByGrammar(
        _ offset: Int,
        _ setting: Normaliser.Setting,
        cloudEvents: Bool,
        split: Bool
    ) throws(BodyError) -> [DecodedItem] {
        let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[offset...])
        guard isUTF8(bytes),
            let found = JSONGrammar.items(bytes, split: split, limit: setting.policy.limits.events)
        else {
            throw .badJSON("the body is not JSON, not UTF-8, or truncated")
        }
        guard found.count <= setting.policy.limits.events else {
            throw .tooManyEvents(limit: setting.policy.limits.events)
        }
        let isArray = split && bytes.first { !JSONParser.isBlank($0) } == UInt8(ascii: "[")
        let normaliser = normaliser(setting)
        return found.enumerated().map { index, item in
            let range = (item.range.lowerBound + offset)..<(item.range.upperBound + offset)
            let place = ItemPlace(index: index, range: range, pointer: isArray ? "/\(index)" : "")
            return DecodedItem(alone(place, item, isCloudEvent: cloudEvents, normaliser), place)
        }
    }

    /// Parses and normalises one item by itself, whose depth and defect are known from the grammar.
    func alone(
        _ place: ItemPlace,
        _ item: JSONGrammar.Item,
        isCloudEvent: Bool,
        _ normaliser: Normaliser
    ) -> IngestItem {
        func reject(_ failure: FieldFailure) -> IngestItem {
            unparsed(place, EventError(failure, prefix: place.pointer))
        }
        if let defect = item.defect {
            return reject(FieldFailure(.invalidValue, defect.message, path: defect.path))
        }
        let limits = normaliser.limits
        if item.depth > limits.depth {
            return reject(FieldFailure(.tooDeep, "nests \(item.depth) deep and may nest \(limits.depth) deep"))
        }
        guard let tape = try? parser.parse(input.base + place.range.lowerBound, count: place.range.count) else {
            return reject(FieldFailure(.invalidJSON, "is not JSON"))
        }
        return self.item(
            place,
            depth: item.depth,
            tape,
            at: JSONTape.root,
            isCloudEvent: isCloudEvent,
            normaliser
        )
    }

    private static func refusal(_ failure: JSONParser.Failure) -> BodyError {
        switch failure {
        case .notUTF8: .badJSON("the body is not UTF-8")
        case .noMemory: .noMemory
        case .invalid, .unstorable: .badJSON("the body is no JSON, or cut short")
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
