import EventLog
import Testing

struct GivenNameTests {
    @Test(arguments: ["a", "Opens of last week", "Öffnungen 📬", String(repeating: "n", count: 100)])
    func accepted(name: String) {
        #expect(GivenName.isAccepted(name))
    }

    @Test(
        "what cannot be read in a list is refused",
        arguments: [
            "", " ", "\u{a0}\u{2003}", "two\nlines", "two\u{2028}lines", "a\u{7f}", "a\u{0}",
            String(repeating: "n", count: 101),
            String(repeating: "ö", count: 51),
        ]
    )
    func refused(name: String) {
        #expect(!GivenName.isAccepted(name))
    }
}
