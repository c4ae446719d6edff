import NotificationEvents

extension Workspace {
    /// Reads a body with one event a line. A bad line is rejected alone; blank lines are skipped.
    func decodeLines(_ setting: Normaliser.Setting) throws(BodyError) -> [IngestItem] {
        var items: [IngestItem] = []
        let bytes = input.bytes
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let end = start + (Self.firstLineFeed(rest) ?? rest.count)
            let line = trimmed(start..<end)
            start = end + 1
            if line.isEmpty {
                continue
            }
            guard items.count < setting.policy.limits.events else {
                throw .tooManyEvents(limit: setting.policy.limits.events)
            }
            items.append(decodeLine(items.count, line, setting))
        }
        return items
    }

    private func decodeLine(_ index: Int, _ line: Range<Int>, _ setting: Normaliser.Setting) -> IngestItem {
        let prefix = "/\(index)"
        let message: String
        do {
            let start = input.base + line.lowerBound
            let tape = try parser.parse(start, count: line.count)
            let places = parser.items(start, count: line.count, split: false)
            if let place = places.first {
                return item(
                    index,
                    place,
                    offset: line.lowerBound,
                    at: JSONTape.root,
                    prefix: prefix,
                    cloudEvents: false,
                    normaliser(setting, tape)
                )
            }
            message = "is no JSON"
        } catch .unstorable {
            let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[line])
            if String(validating: bytes, as: UTF8.self) != nil,
                let place = JSONGrammar.items(bytes, split: false)?.first
            {
                return alone(index, line, place, prefix, cloudEvents: false, setting)
            }
            message = "is no JSON, or not UTF-8"
        } catch .notUTF8 {
            message = "is not UTF-8"
        } catch {
            message = "is no JSON, or cut short"
        }
        return unparsed(index, line, EventError(code: .invalidJSON, pointer: prefix, message: "the line \(message)"))
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
