import Testing

@testable import Exports

struct PositionTests {
    @Test func aPositionIsReadAsItWasWritten() {
        let position = ExportPosition(incarnation: "0b9d2c3e-5a61-4e4b-9d5a-2d0f9f0c7b11", number: 184_467)
        #expect(ExportPosition(position.description) == position)
    }

    @Test(arguments: [
        "", "184467", "0b9d2c3e-5a61-4e4b-9d5a-2d0f9f0c7b11", "0b9d2c3e-5a61-4e4b-9d5a-2d0f9f0c7b11.-1",
        "0b9d2c3e-5a61-4e4b-9d5a-2d0f9f0c7b11.01", "0b9d2c3e-5a61-4e4b-9d5a-2d0f9f0c7b11.1.2",
        "0B9D2C3E-5A61-4E4B-9D5A-2D0F9F0C7B11.1", "../../../../../../../../../etc/passwd.1",
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(ExportPosition(text) == nil)
    }
}
