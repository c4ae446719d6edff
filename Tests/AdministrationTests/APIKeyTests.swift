import Administration
import NotificationEvents
import Testing

struct APIKeyTests {
    @Test(arguments: Scope.allCases)
    func aKeySaysItsScopeAndID(_ scope: Scope) {
        let key = APIKey.generate(scope: scope)
        #expect(key.text.hasPrefix("nlg_\(scope.rawValue.prefix(1))_\(key.id)_"))
        #expect(key.text.utf8.count == 59)
        #expect(APIKey.id(in: key.text) == key.id)
        #expect(key.hash.count == 32)
    }

    @Test func keysDiffer() {
        #expect(Set((0..<200).map { _ in APIKey.generate(scope: .write).text }).count == 200)
    }

    @Test(arguments: [
        "", "nlg", "nlg_w_short_x", "abc_w_0123456789ab_0123456789012345678901234567890123456789",
        "nlg_w_0123456789ab_012345678901234567890123456789012345678",
        "nlg_w_0123456789ab_01234567890123456789012345678901234567890",
        "nlg_w_01234_6789ab_0123456789012345678901234567890123456789",
        "nlg___0123456789ab_0123456789012345678901234567890123456789",
        "nlg_w_0123456789ab_012345678901234567890123456789012345678_",
        "nlg_w_0123456789abc012345678901234567890123456789012345678_",
        "nlg-w_0123456789ab_0123456789012345678901234567890123456789",
        "nlg_ä0123456789ab_0123456789012345678901234567890123456789",
    ])
    func whatIsNoKeyHasNoID(_ text: String) {
        #expect(APIKey.id(in: text) == nil)
    }

    @Test func theHashIsSHA256() {
        // FIPS 180-4's own example.
        let hash = String(hexadecimal: KeyHash(of: "abc").bytes)
        #expect(hash == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func hashesMatchOnlyThemselves() throws {
        let hash = KeyHash(of: "one")
        #expect(hash.matches(try #require(KeyHash(bytes: hash.bytes))))
        for index in 0..<32 {
            var bytes = hash.bytes
            bytes[index] ^= 1
            #expect(!hash.matches(try #require(KeyHash(bytes: bytes))))
        }
        #expect(KeyHash(bytes: [1, 2, 3]) == nil)
    }
}
