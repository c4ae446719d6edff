import Foundation
import Testing

/// A client that asks before it sends its body (RFC 9110, section 10.1.1).
@Suite("Expect: 100-continue")
struct ExpectTests {
    private static func head(_ key: String, length: Int) -> String {
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(length)\r\nExpect: 100-continue\r\n\r\n"
    }

    @Test("it is told to go on, and answered once the body is there")
    func goesOn() async throws {
        try await ServiceFixture.run { fixture in
            let body = Sample.action()
            let client = try RawClient(fixture.service.url)
            // Twice on one connection.
            for _ in 0..<2 {
                await client.send(Self.head(fixture.app.write, length: body.utf8.count))
                #expect(await client.begins(within: .seconds(10)) == "HTTP/1.1 100 Continue")
                #expect(await client.begins(within: .seconds(10)) == "", "the end of that head")
                await client.send(body)
                let (answer, _) = await client.receive(within: .seconds(10))
                #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK"))
            }
        }
    }

    @Test("a body that is too large is refused, and not asked for")
    func tooLarge() async throws {
        try await ServiceFixture.run { fixture in
            let client = try RawClient(fixture.service.url)
            await client.send(Self.head(fixture.app.write, length: 100 << 20))
            #expect(await client.status(within: .seconds(10)) == 413)
        }
    }
}
