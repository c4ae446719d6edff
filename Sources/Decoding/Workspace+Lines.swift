import CSimdJSON
import NotificationEvents

extension Workspace {
    /// Reads a body with one event a line. A bad line is rejected alone; blank lines are skipped.
    func decodeLines(_ context: Normaliser.Context) throws(BodyError) -> [DecodedItem] {
        let normaliser = normaliser(context)
        var items: [DecodedItem] = []
        let bytes = input.bytes
        var start = byteOrderMark
        while start < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let end = start + (Self.firstLineFeed(rest) ?? rest.count)
            let line = trimmed(start..<end)
            start = end + 1
            if line.isEmpty {
                continue
            }
            guard items.count < context.policy.limits.events else {
                throw .tooManyEvents(limit: context.policy.limits.events)
            }
            let location = ItemLocation(index: items.count, range: line, pointer: "/\(items.count)")
            items.append(DecodedItem(decodeLine(location, normaliser), location))
        }
        return items
    }

    private func decodeLine(_ location: ItemLocation, _ normaliser: Normaliser) -> DecodedOutcome {
        let line = location.range
        let message: String
        do {
            let start = input.base + line.lowerBound
            let tape = try parser.parse(start, count: line.count)
            if let item = parser.items(start, count: line.count, split: false, limit: 1)?.first {
                return self.item(
                    location,
                    depth: Int(item.depth),
                    tape,
                    at: JSONTape.root,
                    isCloudEvent: false,
                    normaliser
                )
            }
            message = "is not JSON"
        } catch .unstorable {
            let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[line])
            if String(validating: bytes, as: UTF8.self) != nil,
                let item = JSONGrammar.items(bytes, split: false)?.first
            {
                return alone(location, item, isCloudEvent: false, normaliser)
            }
            message = "is not JSON, or not UTF-8"
        } catch .notUTF8 {
            message = "is not UTF-8"
        } catch {
            message = "is not JSON, or is cut short"
        }
        return unparsed(
            location,
            EventError(code: .invalidJSON, pointer: location.pointer, message: "the line \(message)")
        )
    }

    private func trimmed(_ line: Range<Int>) -> Range<Int> {
        var (start, end) = (line.lowerBound, line.upperBound)
        while start < end, JSONParser.isBlank(input.bytes[start]) {
            start += 1
        }
        while end > start, JSONParser.isBlank(input.bytes[end - 1]) {
            end -= 1
        }
        return start..<end
    }
}
