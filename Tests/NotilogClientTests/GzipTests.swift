import Foundation
import Gzip
import Testing

@testable import NotilogClient

@Suite("Compression")
struct GzipTests {
    @Test("is gzip that others can read")
    func roundTrip() throws {
        let body = Data((0..<5000).map { "event \($0 % 97)," }.joined().utf8)
        let compressed = try #require(NotilogClient.Gzip.compress(body))
        #expect(compressed.count < body.count / 5)
        #expect(compressed.gunzipped == body)
    }

    @Test("is left where it would make nothing smaller")
    func noGain() {
        var generator = SystemRandomNumberGenerator()
        let noise = Data((0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        #expect(NotilogClient.Gzip.compress(noise) == nil)
        #expect(NotilogClient.Gzip.compress(Data("[]".utf8)) == nil)
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
        let input = Array(self)
        var output = [UInt8](repeating: 0, count: 8 << 20)
        let count = try? input.withUnsafeBytes { input in
            try output.withUnsafeMutableBytes { output in
                var gunzip = try Gunzip(input)
                let count = try gunzip.read(into: output)
                return gunzip.isAtEnd ? count : nil
            }
        }
        return count.flatMap { $0 }.map { Data(output.prefix($0)) }
    }
}
