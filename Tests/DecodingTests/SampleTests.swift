import NotificationEvents
import Testing

@testable import Decoding

@Suite("The sample of each kind")
struct SampleTests {
    @Test("is accepted without a warning", arguments: EventKind.all)
    func accepted(kind: EventKind) throws {
        let item = try decode(kind.sample)[0]
        let event = try #require(item.event, "\(item.rejection?.error.description ?? "")")
        #expect(event.kind == kind)
        #expect(item.warnings == [])
        #expect(event.id == EventID("0198c0de-0000-7000-8000-\(sampleNumber(kind))"))
    }

    private func sampleNumber(_ kind: EventKind) -> String {
        let number = String((EventKind.all.firstIndex(of: kind) ?? 0) + 1, radix: 16)
        return String(repeating: "0", count: 12 - number.count) + number
    }
}
