import Testing

@testable import Service

struct CoalescedRefreshTests {
    private actor Refreshes {
        private(set) var count = 0

        func add() { count += 1 }
    }

    @Test("a thousand who bring keys that are not known cost two looks at the database")
    func looksAreShared() async {
        let refresh = CoalescedRefresh(interval: .seconds(2))
        let refreshes = Refreshes()
        await withTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask { await refresh.run { await refreshes.add() } }
            }
        }
        // One that began at once, and one for all who came after it.
        #expect(await (1...2).contains(refreshes.count))
    }
}
