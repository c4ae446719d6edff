import Hashing
import NotificationEvents
import Testing

/// The vectors of FIPS 180-4 and RFC 4231.
@Suite struct HashingTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256(_ text: String, _ digest: String) {
        #expect(String(hexadecimal: SHA256.digest(of: Array(text.utf8))) == digest)
        // In parts, and looked at in between.
        var hash = SHA256()
        for byte in text.utf8 {
            hash.update([byte])
            _ = hash.bytes
        }
        #expect(String(hexadecimal: hash.bytes) == digest)
    }

    @Test func sha256OfAMillionLetters() {
        var hash = SHA256()
        for _ in 0..<1000 { hash.update(Array(repeating: UInt8(ascii: "a"), count: 1000)) }
        #expect(
            String(hexadecimal: hash.bytes) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
    }

    @Test func sha1() {
        var hash = SHA1()
        Array("abc".utf8).withUnsafeBytes { hash.update($0) }
        #expect(hash.digest { String(hexadecimal: $0) } == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    @Test(arguments: [
        (
            Array(repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (Array("key".utf8), "", "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0"),
    ])
    func hmac(_ key: [UInt8], _ text: String, _ code: String) {
        #expect(String(hexadecimal: SHA256.authenticationCode(of: Array(text.utf8), key: key)) == code)
    }
}
