import Decoding
import Gzip
import NotificationEvents
import Testing

@Suite("Bodies compressed with gzip")
struct GzipTests {
    /// A gzip member of these bytes.
    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let gzip = Gzip(level: 9)
        return gzip.compress(bytes) + gzip.finish()
    }

    private func decode(_ body: [UInt8], encoding: String = "gzip", limits: DecodingLimits = DecodingLimits())
        throws(BodyError)
        -> [DecodedOutcome]
    {
        try decoder.decode(
            body,
            format: .json,
            contentEncoding: encoding,
            policy: DecodingPolicy(scope: .write, limits: limits),
            receivedAt: received
        ).map(\.item)
    }

    @Test("are decompressed, members one after the other too")
    func inflate() throws {
        let body = Array("[\(event("dismissal"))]".utf8)
        #expect(try decode(gzip(body))[0].event != nil)
        #expect(try decode(gzip(body), encoding: " GZIP ")[0].event != nil)
        #expect(try decode(gzip(Array(body[..<20])) + gzip(Array(body[20...])))[0].event != nil)
        #expect(try decode(body, encoding: "identity")[0].event != nil)
    }

    @Test("are refused where the bytes are cut short, changed or no gzip")
    func broken() {
        let whole = gzip(Array(event("dismissal").utf8))
        for bytes in [Array(whole.dropLast(9)), whole + [1, 2, 3], Array(event("dismissal").utf8), [], [0x1F, 0x8B]] {
            #expect(throws: BodyError.self) { try decode(bytes) }
        }
        #expect(throws: BodyError.self) { try decode(whole, encoding: "br") }
    }

    @Test("are refused with 413 as soon as there is more than the limit, however small they were")
    func bomb() throws {
        let bomb = gzip([UInt8](repeating: UInt8(ascii: " "), count: 20 << 20))
        #expect(bomb.count < 64 << 10)
        do throws(BodyError) {
            _ = try decode(bomb)
            Issue.record("a bomb was taken")
        } catch {
            #expect(error.reason == .tooLarge)
        }
        let body = Array(event("dismissal").utf8)
        #expect(try decode(gzip(body), limits: DecodingLimits(bodyBytes: body.count)).count == 1)
        #expect(throws: BodyError.self) { try decode(gzip(body), limits: DecodingLimits(bodyBytes: body.count - 1)) }
    }
}
