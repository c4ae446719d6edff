import Foundation
import Testing

/// Clients that ask for another protocol: those that offer HTTP/2 in clear text, and those that fill what is not read.
@Suite("Upgrade")
struct UpgradeRequestTests {
    private static let requests = [
        "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
        "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n",
    ]

    @Test("it is answered as if it were not asked for, and the connection ends", arguments: requests)
    func isIgnored(request: String) async throws {
        try await ServiceFixture.run { fixture in
            let client = try RawClient(fixture.service.url)
            // A second one, which the client sends without waiting, is not answered: it learns that from the first one's answer.
            await client.send(request + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            let (bytes, isClosed) = await client.receive(within: .seconds(20), untilClosed: true)
            let answer = String(decoding: bytes, as: UTF8.self)
            #expect(answer.hasPrefix(request.hasPrefix("GET") ? "HTTP/1.1 200" : "HTTP/1.1 4"))
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(isClosed)
        }
    }

    @Test("what follows it is neither read nor kept", arguments: requests)
    func keepsNothing(request: String) async throws {
        try await ServiceFixture.run { fixture in
            let client = try RawClient(fixture.service.url)
            await client.send(request)
            // More than the sockets of both ends take: it is all taken only where the service keeps it.
            let more = [UInt8](repeating: 0x78, count: 64 << 20)
            #expect(await client.send(more, within: .seconds(20)) == false)
        }
    }
}
