import Testing

@testable import Service

struct SecondLookTests {
    private actor Looks {
        private(set) var count = 0

        func look() { count += 1 }
    }

    @Test("a thousand who bring keys that are not known cost two looks at the database")
    func looksAreShared() async {
        let second = SecondLook(interval: .seconds(2))
        let looks = Looks()
        await withTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask { await second.take { await looks.look() } }
            }
        }
        // One that began at once, and one for all who came after it.
        #expect(await (1...2).contains(looks.count))
    }
}
