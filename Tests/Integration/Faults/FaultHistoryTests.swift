import Testing

/// The checker itself: what a history must not hold is found.
@Suite("Faults: histories")
struct FaultHistoryTests {
    /// Three events of one category were acknowledged, a fourth is under way.
    private func history(_ read: FaultHistory.Read?) -> FaultHistory.State {
        let history = FaultHistory()
        for position in [10, 20, 30] as [Int64] {
            history.begins("a")
            history.acknowledged("a", at: position)
        }
        history.begins("a")
        if let read { history.answered(read) }
        return history.state
    }

    private func read(position: Int64, count: Int) -> FaultHistory.Read {
        .init(category: "a", minPosition: 20, position: position, count: count, acknowledgedBefore: 2, begunBefore: 4)
    }

    @Test(arguments: [(20, 2), (25, 2), (25, 3), (30, 3), (31, 4)] as [(Int64, Int)])
    func allowed(_ position: Int64, _ count: Int) {
        #expect(history(read(position: position, count: count)).violations == [])
    }

    @Test(arguments: [(19, 2), (20, 1), (30, 2), (99, 0), (31, 5)] as [(Int64, Int)])
    func notAllowed(_ position: Int64, _ count: Int) {
        #expect(history(read(position: position, count: count)).violations.count == 1)
    }

    @Test func aLaterEventStandsLater() {
        let history = FaultHistory()
        for position in [10, 10] as [Int64] {
            history.begins("a")
            history.acknowledged("a", at: position)
        }
        #expect(history.state.violations.count == 1)
    }
}
