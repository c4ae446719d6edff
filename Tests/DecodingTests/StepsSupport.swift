import NotificationEvents
import Testing

@testable import Decoding

/// A parsed item for tests of single steps, with the memory that it lies in.
struct ItemInMemory {
    private let input = InputBuffer()
    private let parser: JSONParser
    let tape: JSONTape
    let parsed: ParsedItem

    init(_ text: String, isCloudEvent: Bool = false) throws {
        parser = try #require(JSONParser())
        Array(text.utf8).withUnsafeBytes { [input] in input.fill($0) }
        tape = try parser.parse(input.base, count: input.count)
        parsed = ParsedItem(tape, at: JSONTape.root, isCloudEvent: isCloudEvent)
    }

    func draft() throws -> EventDraft {
        EventDraft(parsed, try parsed.kind(in: .shared))
    }

    func writer(_ policy: DecodingPolicy = DecodingPolicy(scope: .provider)) -> EventWriter {
        EventWriter(OutputBuffer(), tape, Secrets(policy))
    }

    /// The item stays in memory until the work is done.
    func use<Result>(_ body: (ItemInMemory) throws -> Result) rethrows -> Result {
        try withExtendedLifetime((input, parser)) { try body(self) }
    }
}

extension EventDraft {
    /// The value of one of the kind's own fields, as JSON.
    func json(_ field: String) throws -> String? {
        let index = try #require(kind.object.index(of: field))
        switch values[index] {
        case .absent: return nil
        case .given(let given): return String(decoding: self.given[given], as: UTF8.self)
        case .sent(let value):
            let out = OutputBuffer()
            out.append(TapeValue(tape: tape, index: value))
            return String(decoding: out.bytes, as: UTF8.self)
        }
    }
}
