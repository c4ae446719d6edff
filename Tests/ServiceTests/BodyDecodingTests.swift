import Decoding
import EventLog
import NIOCore
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(1)))
struct BodyDecodingTests {
    private static let limit = 5 << 20
    private static let body = ByteBuffer(string: "a few bytes of gzip")

    private let slots = WaitingSlots(
        "requests",
        of: "app",
        perKey: 2,
        perApp: 2,
        total: 2,
        queue: .max,
        timeout: .seconds(600)
    )
    private let admission = Admission(.init(requests: 10, bytes: 12 << 20))

    private var decoding: BodyDecoding { BodyDecoding(limit: Self.limit, large: slots) }

    /// Until a task has got as far as it gets by itself.
    private func until(_ isSo: () -> Bool) async { while !Task.isCancelled, !isSo() { await Task.yield() } }

    private static func decode(_ decoding: BodyDecoding, _ admission: Admission, of app: AppID) async throws -> Int {
        var holding = Holding(admission, app: app)
        try holding.hold(body.readableBytes)
        return try await decoding.decode(body, encoding: "gzip", of: app, holding: &holding) { _ in [] }.count
    }

    @Test("compressed bodies that wait for their turn hold what they are, not what they may become")
    func waiting() async throws {
        let app: AppID = 1
        var held = [try await slots.take("other"), try await slots.take("other")]
        let requests = (0..<3).map { _ in
            Task { [decoding, admission] in try await Self.decode(decoding, admission, of: app) }
        }
        await until { slots.waiting(app.description) == requests.count }
        #expect(admission.load.bytes == requests.count * Self.body.readableBytes)
        held.removeAll()
        // Two at a time have room, and give it back with their turn.
        for request in requests { #expect(try await request.value == 0) }
        #expect(admission.load.bytes == 0)
    }

    @Test("a body that cannot be decoded gives its room back with its turn")
    func undecodable() async throws {
        var holding = Holding(admission, app: 1)
        try holding.hold(Self.body.readableBytes)
        var isRefused = false
        do {
            _ = try await decoding.decode(Self.body, encoding: "gzip", of: 1, holding: &holding) { _ in
                throw Problem.unsupportedMediaType
            }
        } catch {
            isRefused = true
        }
        let bytes = holding.bytes
        #expect(isRefused && bytes == Self.body.readableBytes)
        let next = [try await slots.take("other"), try await slots.take("other")]
        withExtendedLifetime(next) {}
    }
}
