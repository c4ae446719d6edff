import Foundation
import NotificationEvents
import Testing

/// docs/events.md is what `notilog events` writes of the vocabulary.
struct EventReferenceTests {
    @Test func theDocumentIsTheVocabulary() async throws {
        let written = try await NotilogCommand.run(["events"])
        #expect(written.status == 0, "\(written.errors)")
        let path = try ProgramRun.repository().appendingPathComponent("docs/events.md")
        let document = try String(contentsOf: path, encoding: .utf8)
        #expect(document == written.output, "regenerate it: notilog events > docs/events.md")
        for kind in EventKind.all {
            let one = try await NotilogCommand.run(["events", kind.name])
            #expect(one.status == 0 && document.contains(one.output), "\(kind.name)")
        }
    }

    @Test func anUnknownKindIsToldWhichThereAre() async throws {
        let result = try await NotilogCommand.run(["events", "delivered"])
        #expect(result.status == 1 && result.errors.contains("delivery"))
    }
}
