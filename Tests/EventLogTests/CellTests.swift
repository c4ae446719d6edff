import EventLog
import Postgres
import Testing

@Suite struct CellTests {
    private static func cell(_ number: Int16, _ lanes: Set<Int16>) -> Cell {
        Cell(number: number, database: ConnectionConfiguration(), lanes: lanes)
    }

    @Test func aPositionSaysWhichCellGaveIt() {
        for (position, cell) in [(Position.start, Int16(0)), (1, 7), (8_000_000_000_000, 3)] {
            let given = position.given(by: cell)
            #expect(given.inCell == position && given.cell == cell)
            #expect(given.rawValue < 1 << 53, "clients that have numbers of JavaScript read it")
        }
        #expect((17 as Position).given(by: 0, of: Cells(alone: ConnectionConfiguration())) == 17)
    }

    @Test func everyLaneIsInOneCell() throws {
        let cells = try Cells([Self.cell(1, [4, 5, 6, 7]), Self.cell(0, [0, 1, 2, 3])])
        #expect(cells.all.map(\.number) == [0, 1] && !cells.isAlone && cells.coordinator.number == 0)
        for number in 0..<200 {
            let device = "device-\(number)"
            #expect(cells.cell(ofDevice: device).lanes.contains(Int16(EventLane.of(device: device))))
        }
        #expect(throws: PostgresError.self) { try Cells([Self.cell(0, [0, 1, 2])]) }
        #expect(throws: PostgresError.self) { try Cells([Self.cell(0, Set(0..<8)), Self.cell(1, [7])]) }
        #expect(throws: PostgresError.self) { try Cells([Self.cell(1, Set(0..<8))]) }
    }

    @Test func devicesAreDividedEvenly() {
        var devices = Array(repeating: 0, count: EventLane.count)
        for number in 0..<8000 { devices[EventLane.of(device: "device-\(number)")] += 1 }
        #expect(devices.allSatisfy { (850...1150).contains($0) }, "\(devices)")
    }
}
