import EventLog
import Exports
import Testing

@Suite struct ExportPositionsTests {
    private static let first = ExportPosition(incarnation: "1b9e4bd0-6c2f-4f1f-9a53-0d2d4a9a1c11", number: 12)
    private static let second = ExportPosition(incarnation: "5f0c3f5e-0000-4000-8000-1234567890ab", number: 0)

    private static let origin = ExportPositions.Origin(dataset: "events", app: 3)

    @Test func aDatabaseThatIsAloneHasThePositionItself() {
        let positions = ExportPositions([0: Self.first], of: Self.origin, isAlone: true)
        #expect(positions.description == "events:3:\(Self.first)")
        #expect(ExportPositions(positions.description) == positions)
        #expect(positions.isWithin([0], isAlone: true) && !positions.isWithin([0, 1], isAlone: false))
    }

    @Test func cellsHaveTheirNumbers() {
        let positions = ExportPositions([2: Self.second, 0: Self.first], of: Self.origin, isAlone: false)
        #expect(positions.description == "events:3:0_\(Self.first)~2_\(Self.second)")
        #expect(ExportPositions(positions.description) == positions)
        #expect(positions[0] == Self.first && positions[2] == Self.second && positions[1] == nil)
        #expect(positions.isWithin([0, 1, 2], isAlone: false) && !positions.isWithin([0, 1], isAlone: false))
        #expect(!positions.isWithin([0, 1, 2], isAlone: true))
    }

    @Test func itIsOfOneDatasetAndApp() throws {
        let cursor = try #require(ExportPositions("events:3:\(Self.first)"))
        #expect(cursor.isOf(Self.origin))
        #expect(!cursor.isOf(.init(dataset: "notifications", app: 3)) && !cursor.isOf(.init(dataset: "events", app: 4)))
        // One that does not say is that of any.
        let early = try #require(ExportPositions(Self.first.description))
        #expect(early.isOf(Self.origin) && early[0] == Self.first && early.description == Self.first.description)
    }

    @Test(arguments: [
        "", "events:", "events:3", "events:3:", "events:03:", "events:x:", ":", "0_", "_1", "0_x", "00_", "-1_", "0",
        "~", "0_1b9e4bd0-6c2f-4f1f-9a53-0d2d4a9a1c11.12~",
    ])
    func otherTextIsNone(text: String) {
        #expect(ExportPositions(text) == nil)
        if text.hasSuffix(":") {
            #expect((ExportPositions(text + Self.first.description) == nil) == (text != "events:3:"))
        }
        #expect(ExportPositions("0_\(Self.first)~0_\(Self.second)") == nil, "a cell has one position")
    }
}
