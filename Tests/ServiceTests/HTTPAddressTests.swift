import PlainHTTP
import Testing

struct HTTPAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "127.0.0.1", 8080), ("http://localhost", "localhost", 80),
        ("HTTP://notilog.example.com:1/", "notilog.example.com", 1), ("http://[::1]:8080", "::1", 8080),
        ("http://[2001:DB8::7]/", "2001:DB8::7", 80),
    ])
    func anAddressIsHostAndPort(_ url: String, _ host: String, _ port: Int) throws {
        #expect(try HTTPAddress(url: url) == HTTPAddress(host: host, port: port))
    }

    @Test(arguments: [
        "https://127.0.0.1", "127.0.0.1:8080", "http://", "http:///", "http://a/b", "http://:80", "http://a:",
        "http://a:0", "http://a:65536", "http://a:99999999999999999999", "http://a:b", "http://::1", "http://::1:8080",
        "http://[::1", "http://[]:80", "http://[::1]8080", "http://[a/b]",
    ])
    func anythingElseIsNone(_ url: String) {
        #expect(throws: HTTPFailure.self) { try HTTPAddress(url: url) }
    }

    @Test func anAddressOfIPv6IsNamedInBrackets() {
        #expect(HTTPAddress(host: "::1", port: 80).authority == "[::1]:80")
        #expect(HTTPAddress(host: "localhost", port: 8080).authority == "localhost:8080")
    }
}
