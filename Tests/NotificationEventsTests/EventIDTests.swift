import NotificationEvents
import Testing

@Suite("Event ids")
struct EventIDTests {
    @Test("are read in either case and written in lower case")
    func text() throws {
        let id = try #require(EventID("0198C0DE-0000-7000-8000-00000000000a"))
        #expect(id.description == "0198c0de-0000-7000-8000-00000000000a")
        #expect(id.bytes == [1, 0x98, 0xC0, 0xDE, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x0A])
        #expect(EventID(high: 0x0198_C0DE_0000_7000, low: 0x8000_0000_0000_000A) == id)
    }

    @Test(
        "are refused in any other form",
        arguments: [
            "", "0198c0de00007000800000000000000a", "0198c0de-0000-7000-8000-00000000000",
            "0198c0de-0000-7000-8000-00000000000g",
            "{198c0de-0000-7000-8000-000000000001}", "0198c0de+0000-7000-8000-000000000001",
        ]
    )
    func refuse(text: String) {
        #expect(EventID(text) == nil)
    }

    @Test("of version 7 sort by time and carry version and variant")
    func version7() {
        var generator = SystemRandomNumberGenerator()
        let early = EventID(version7: Timestamp(seconds: 1_700_000_000), using: &generator)
        let late = EventID(version7: Timestamp(microseconds: 1_700_000_000_001_000), using: &generator)
        #expect(early < late)
        #expect(early.bytes[6] >> 4 == 7 && early.bytes[8] >> 6 == 2)
        #expect(early.high >> 16 == 1_700_000_000_000)
    }

    @Test("of version 5 carry version and variant")
    func version5() {
        let id = EventID(version5: (high: .max, low: .max))
        #expect(id.description == "ffffffff-ffff-5fff-bfff-ffffffffffff")
        #expect(EventID(version5: (high: 0, low: 0)).description == "00000000-0000-5000-8000-000000000000")
    }
}
