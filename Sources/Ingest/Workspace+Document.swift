import CSimdJSON
import NotificationEvents

extension Workspace {
    /// Reads a body that is one JSON text.
    /// - Parameter split: whether the elements of an array are items of their own.
    func decodeDocument(
        _ setting: Normaliser.Setting,
        cloudEvents: Bool,
        split: Bool
    ) throws(BodyError) -> [IngestItem] {
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
        let normaliser = normaliser(setting, tape)
        var items: [IngestItem] = []
        items.reserveCapacity(places.count)
        var value = isArray ? JSONTape.root + 1 : JSONTape.root
        for (index, place) in places.enumerated() {
            items.append(
                item(
                    index,
                    place,
                    offset: offset,
                    at: value,
                    prefix: isArray ? "/\(index)" : "",
                    cloudEvents: cloudEvents,
                    normaliser
                )
            )
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
    ) throws(BodyError) -> [IngestItem] {
        let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[offset...])
        guard isUTF8(bytes),
            let found = JSONGrammar.items(bytes, split: split, limit: setting.policy.limits.events)
        else {
            throw .badJSON("the body is no JSON, not UTF-8, or cut short")
        }
        guard found.count <= setting.policy.limits.events else {
            throw .tooManyEvents(limit: setting.policy.limits.events)
        }
        let isArray = split && bytes.first { !JSONParser.isBlank($0) } == UInt8(ascii: "[")
        return found.enumerated().map { index, place in
            let range = (place.range.lowerBound + offset)..<(place.range.upperBound + offset)
            return alone(index, range, place, isArray ? "/\(index)" : "", cloudEvents: cloudEvents, setting)
        }
    }

    /// Parses and normalises one item by itself, whose place and defect are known from the grammar.
    func alone(
        _ index: Int,
        _ range: Range<Int>,
        _ place: JSONGrammar.Item,
        _ prefix: String,
        cloudEvents: Bool,
        _ setting: Normaliser.Setting
    ) -> IngestItem {
        if let defect = place.defect {
            let failure = FieldFailure(.invalidValue, defect.message, path: defect.path)
            return unparsed(index, range, EventError(failure, prefix: prefix))
        }
        let limits = setting.policy.limits
        if place.depth > limits.depth {
            let failure = FieldFailure(.tooDeep, "nests \(place.depth) deep and may nest \(limits.depth) deep")
            return unparsed(index, range, EventError(failure, prefix: prefix))
        }
        do {
            let tape = try parser.parse(input.base + range.lowerBound, count: range.count)
            let parsed = JSONParser.Item(start: 0, end: UInt32(range.count), depth: UInt32(place.depth))
            return item(
                index,
                parsed,
                offset: range.lowerBound,
                at: JSONTape.root,
                prefix: prefix,
                cloudEvents: cloudEvents,
                normaliser(setting, tape)
            )
        } catch {
            return unparsed(index, range, EventError(FieldFailure(.invalidJSON, "is no JSON"), prefix: prefix))
        }
    }

    private static func refusal(_ failure: JSONParser.Failure) -> BodyError {
        switch failure {
        case .notUTF8: .badJSON("the body is not UTF-8")
        case .noMemory: .badJSON("there is not enough memory to read the body")
        case .invalid, .unstorable: .badJSON("the body is no JSON, or cut short")
        }
    }

    /// How many bytes of a byte order mark there are to skip (RFC 8259, section 8.1).
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
