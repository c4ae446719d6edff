import Decoding
import Foundation
import NotificationEvents
import Testing

/// Broken and hostile bodies. `NOTILOG_FUZZ_SECONDS` makes them run that long, from a new seed; without it they are few
/// and always the same.
@Suite("No input crashes decoding")
struct FuzzTests {
    private static let seconds = ProcessInfo.processInfo.environment["NOTILOG_FUZZ_SECONDS"].flatMap(Double.init)
    /// What hostile senders know to write.
    private static let pieces = [
        "\\u0000", "\\ud800", "\\udc00", "1e400000", "-0", "0.1e-999", "99999999999999999999", "null", "{", "}", "[",
        "]", ",",
        ":", "\"", "\\", "\n", "\u{FEFF}", "true", "{}", "[]", "\"\"", "\u{0}", "\u{7F}", "😀", "\"kind\":\"request\"",
        "\"payload\":{\"aps\":{\"alert\":1}}", "\"headers\":{\"apns-id\":\"\"}", "\"token\":\"sha256:00\"",
        "18446744073709551615",
        "9223372036854775807", "-9223372036854775808", "2026-03-01T10:00:00Z",
        "com.apple.UNNotificationDismissActionIdentifier",
    ]

    private static let seeds: [String] =
        EventKind.all.map(\.sample) + [
            "[" + EventKind.all.map(\.sample).joined(separator: ",") + "]",
            EventKind.all.map(\.sample).joined(separator: "\n"),
            #"{"kind":"request","occurred_at":"2026-03-01T10:00:00Z","device_id":"d","payload":{"aps":{"alert":{"title":"x"},"sound":{"critical":1}},"notilog":{"id":"n"}},"headers":{"apns-priority":"5","apns-collapse-id":"c"}}"#,
            #"{"specversion":"1.0","id":"1","source":"s","type":"notilog.dismissal","time":"2026-03-01T10:00:00Z","subject":"d","data":{"notification_id":"n"}}"#,
        ]

    @Test("and what is accepted is JSON that PostgreSQL takes", arguments: [0, 1, 2, 3])
    func mutated(round: Int) async throws {
        var generator = Seeded(seed: Self.seconds == nil ? UInt64(round) : UInt64.random(in: 0...UInt64.max))
        let end = ContinuousClock.now + .seconds(Self.seconds ?? 0)
        var tried = 0
        var accepted = 0
        while Self.seconds == nil ? tried < 10_000 : ContinuousClock.now < end {
            tried += 1
            if tried % 100 == 0 { await Task.yield() }
            let body = mutate(Array((Self.seeds.randomElement(using: &generator) ?? "").utf8), using: &generator)
            let format = try #require(BodyFormat.allCases.randomElement(using: &generator))
            var policy = DecodingPolicy(scope: Bool.random(using: &generator) ? .write : .provider)
            policy.keepReplyText = Bool.random(using: &generator)
            policy.isReplay = Bool.random(using: &generator)
            if Bool.random(using: &generator) {
                policy.idHashKey = IDHashKey(bytes: [UInt8](repeating: 1, count: 16))
            }
            guard
                let items = try? decoder.decode(
                    body,
                    format: format,
                    contentEncoding: Int.random(in: 0..<50, using: &generator) == 0 ? "gzip" : nil,
                    policy: policy,
                    receivedAt: received
                )
            else { continue }
            #expect(items.map(\.index) == Array(items.indices))
            for item in items {
                switch item.item {
                case .accepted(let event, _):
                    accepted += 1
                    try check(event.data, body)
                    #expect(!event.deviceID.utf8.contains(0) && event.notificationID?.utf8.contains(0) != true)
                case .rejected(let rejected):
                    if let redacted = rejected.redacted {
                        try check(redacted, body)
                    }
                }
            }
        }
        #expect(accepted > tried / 100)
    }

    /// Whether bytes are a JSON object in valid UTF-8 without what PostgreSQL refuses.
    private func check(_ data: [UInt8], _ body: [UInt8]) throws {
        let text = String(validating: data, as: UTF8.self)
        #expect(text != nil, "\(body)")
        #expect(!data.contains { $0 < 0x20 }, "\(body)")
        if (try? JSONSerialization.jsonObject(with: Data(data))) as? [String: Any] == nil {
            Issue.record("\(String(decoding: data, as: UTF8.self)) is no JSON object, made of \(body)")
        }
    }

    private func mutate(_ seed: [UInt8], using generator: inout Seeded) -> [UInt8] {
        var bytes = seed
        if Int.random(in: 0..<20, using: &generator) == 0 {
            return (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
        }
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let at = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &generator)
            let until = min(bytes.count, at + Int.random(in: 0..<12, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where !bytes.isEmpty: bytes[at] = UInt8.random(in: 0...255, using: &generator)
            case 1 where !bytes.isEmpty: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(at..<until)
            case 3: bytes.insert(contentsOf: bytes[at..<until], at: Int.random(in: 0...bytes.count, using: &generator))
            case 4: bytes.insert(contentsOf: Array((Self.pieces.randomElement(using: &generator) ?? "").utf8), at: at)
            default:
                // Another value in the place of one: what lies between a colon and the next comma.
                guard let colon = bytes[at...].firstIndex(of: UInt8(ascii: ":")),
                    let comma = bytes[colon...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
                    )
                else { break }
                bytes.replaceSubrange(
                    (colon + 1)..<comma,
                    with: Array((Self.pieces.randomElement(using: &generator) ?? "").utf8)
                )
            }
        }
        return bytes
    }
}
