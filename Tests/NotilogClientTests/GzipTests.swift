import CZlib
import Foundation
import Testing

@testable import NotilogClient

@Suite("Compression")
struct GzipTests {
    @Test("is gzip that others can read")
    func roundTrip() throws {
        let body = Data((0..<5000).map { "event \($0 % 97)," }.joined().utf8)
        let compressed = try #require(Gzip.compress(body))
        #expect(compressed.count < body.count / 5)
        #expect(compressed.gunzipped == body)
    }

    @Test("is left where it would make nothing smaller")
    func noGain() {
        var generator = SystemRandomNumberGenerator()
        let noise = Data((0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        #expect(Gzip.compress(noise) == nil)
        #expect(Gzip.compress(Data("[]".utf8)) == nil)
    }

    @Test("has the checksum of its standard")
    func checksum() {
        #expect(CRC32.checksum("123456789".utf8) == 0xCBF4_3926)
    }
}

extension Notilog.OutgoingRequest {
    /// The body as it was before it was compressed.
    var plainBody: Data {
        headers["Content-Encoding"] == "gzip" ? body.gunzipped ?? Data() : body
    }
}

extension Data {
    var gunzipped: Data? {
        var stream = z_stream()
        guard notilog_inflate_init(&stream, 15 + 16) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = Array(self)
        var output = [UInt8](repeating: 0, count: 8 << 20)
        let room = output.count
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                return inflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        return isWhole ? Data(output.prefix(room - Int(stream.avail_out))) : nil
    }
}
