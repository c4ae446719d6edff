import NotificationEvents
import Testing

@testable import Decoding

/// What one body makes the quarantine keep is bounded, and counted as PostgreSQL has it.
@Suite("What is kept of rejected items")
struct KeptItemTests {
    private func numbers(_ count: Int, _ number: String = "1e308") -> String {
        event(
            "open_settings",
            #""attributes":{"a":[\#(Array(repeating: number, count: count).joined(separator: ","))]}"#
        )
    }

    @Test(
        "of numbers that PostgreSQL writes out to far more than was sent, length and digest are kept",
        arguments: ["1e308", "-1e-300"]
    )
    func numbersWrittenOut(number: String) throws {
        let item = try reject(numbers(20_000, number))
        #expect(item.error.code == .tooLarge)
        #expect(item.redacted == nil && item.length > 100_000)
        let few = try #require(try reject(numbers(20, number)).redacted)
        #expect(few.count > 20 * 300, "each number counts with its zeros: \(few.count)")
        #expect(!String(decoding: few, as: UTF8.self).contains(number))
    }

    @Test("numbers in a list that should have none count too")
    func otherLists() throws {
        let many = Array(repeating: "1e300", count: 10_000).joined(separator: ",")
        #expect(try reject(event("authorization_request", #""options":[\#(many)]"#)).redacted == nil)
    }

    @Test("writing stops where no more is kept")
    func stops() throws {
        try ItemInMemory(numbers(20_000)).use { item in
            let attributes = try #require(item.parsed.tape.value(of: "attributes", in: JSONTape.root))
            let out = OutputBuffer()
            out.append(kept: attributes, of: item.parsed.tape, upTo: 1000)
            #expect(out.count > 1000 && out.count <= 1000 + 310)
        }
    }

    @Test("all items of a body together leave no more than twice a body")
    func together() throws {
        let limits = DecodingLimits(bodyBytes: 1 << 20)
        // Each may be kept: 25 numbers of 309 digits.
        let body = "[" + Array(repeating: numbers(25), count: 1000).joined(separator: ",") + "]"
        let items = try decode(body, policy: DecodingPolicy(scope: .provider, limits: limits))
        let kept = items.compactMap(\.rejection?.redacted?.count)
        #expect(items.count == 1000 && items.allSatisfy { $0.rejection != nil })
        #expect(kept.reduce(0, +) <= 2 << 20 && kept.reduce(0, +) > 1 << 20, "\(kept.count)")
    }

    @Test("as much as was sent is kept, with digests in place of short tokens and ids")
    func shortItems() throws {
        let one = #"{"kind":"token","occurred_at":"never","device_id":"d","token":"ab"}"#
        let body = "[" + Array(repeating: one, count: 10_000).joined(separator: ",") + "]"
        let key = IDHashKey(bytes: [UInt8](repeating: 9, count: 32))
        let items = try decode(body, policy: DecodingPolicy(scope: .provider, idHashKey: key))
        #expect(items.allSatisfy { $0.rejection?.redacted != nil })
    }
}
