import Testing

@testable import Pacing

@Suite("Repeated lines")
struct RepeatedLinesTests {
    private let start = ContinuousClock.now

    @Test("of a failure that goes on, a minute has three lines, and the next minute says how many were left out")
    func goesOn() {
        let lines = RepeatedLines()
        let first = (0..<40).map { lines.admit("a batch failed", now: start + .seconds($0)) }
        #expect(first.compactMap(\.self) == [0, 0, 0])
        #expect(lines.admit("another", now: start + .seconds(41)) == 0)
        #expect(lines.admit("a batch failed", now: start + .seconds(60)) == 37)
        #expect(lines.admit("a batch failed", now: start + .seconds(61)) == 0)
    }

    @Test("messages beyond the bound are written rather than kept")
    func many() {
        let lines = RepeatedLines()
        for number in 0..<3 * RepeatedLines.messages { #expect(lines.admit("\(number)", now: start) == 0) }
    }
}
