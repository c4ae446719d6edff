import Foundation
import Synchronization

/// An HTTP proxy in front of the service that does everything to a client that a network and an overloaded service do.
///
/// Threads of its own carry the bytes. What it does to a request is drawn from a seed.
final class HostileProxy: Sendable {
    /// What becomes of a request.
    enum Deed: String, CaseIterable, Sendable {
        case forwarded, overloaded, limited, failing, portal, dropped, unanswered, truncated, doubled, cutShort
    }

    private struct State {
        var random: LawRandom
        var deeds: [Deed: Int] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let listener: Int32
    let port: UInt16
    private let upstream: UInt16

    init(to upstream: UInt16, seed: UInt64) throws {
        self.upstream = upstream
        state = Mutex(State(random: LawRandom(seed: seed)))
        (listener, port) = try Sockets.listen()
        Thread.detachNewThread { [self] in accept() }
    }

    /// How often it did what.
    var deeds: [Deed: Int] { state.withLock { $0.deeds } }

    func close() { state.withLock { $0.isClosed = true } }

    private func accept() {
        while !state.withLock({ $0.isClosed }) {
            guard Sockets.isReady(listener, POLLIN, milliseconds: 50), let client = Sockets.accept(listener) else {
                continue
            }
            Thread.detachNewThread { [self] in serve(client) }
        }
        Sockets.close(listener, withReset: false)
    }

    private func draw() -> Deed {
        state.withLock { state in
            let deed = Self.deed(Int(state.random.next() % 100))
            state.deeds[deed, default: 0] += 1
            return deed
        }
    }

    /// About half of all requests come through unharmed.
    private static func deed(_ roll: Int) -> Deed {
        switch roll {
        case 0..<5: .overloaded
        case 5..<10: .limited
        case 10..<14: .failing
        case 14..<17: .portal
        case 17..<25: .dropped
        case 25..<33: .unanswered
        case 33..<41: .truncated
        case 41..<49: .doubled
        case 49..<53: .cutShort
        default: .forwarded
        }
    }

    private func serve(_ client: Int32) {
        var pending: [UInt8] = []
        var isReset = false
        while let request = HTTPBytes.readMessage(client, &pending) {
            let deed = draw()
            switch deed {
            case .overloaded:
                HTTPBytes.write(client, HTTPBytes.problem("503 Service Unavailable", "Retry-After: 0\r\n"))
            case .limited: HTTPBytes.write(client, HTTPBytes.problem("429 Too Many Requests", "Retry-After: 0\r\n"))
            case .failing: HTTPBytes.write(client, HTTPBytes.problem("500 Internal Server Error", ""))
            case .portal:
                HTTPBytes.write(client, Array("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>hi</html>".utf8))
            case .dropped: isReset = true
            case .unanswered:
                _ = forward(request)
                isReset = true
            case .truncated:
                let answer = forward(request)
                HTTPBytes.write(client, Array(answer.prefix(max(answer.count - 9, 0))))
            case .doubled:
                _ = forward(request)
                HTTPBytes.write(client, forward(request))
            case .cutShort:
                _ = forward(Array(request.prefix(request.count - 20)))
                isReset = true
            case .forwarded:
                let answer = forward(request)
                if answer.isEmpty { isReset = true }
                HTTPBytes.write(client, answer)
            }
            if isReset || deed == .truncated { break }
        }
        Sockets.close(client, withReset: isReset)
    }

    /// Sends a request to the service, and reads the whole answer.
    private func forward(_ request: [UInt8]) -> [UInt8] {
        guard let server = try? Sockets.connect(port: upstream) else { return [] }
        defer { Sockets.close(server, withReset: false) }
        HTTPBytes.write(server, request)
        var pending: [UInt8] = []
        return HTTPBytes.readMessage(server, &pending, deadline: 5) ?? []
    }
}

/// As much of HTTP/1.1 as the proxy needs.
enum HTTPBytes {
    static func problem(_ status: String, _ headers: String) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status)\r\n\(headers)Content-Length: 2\r\nContent-Type: application/problem+json\r\n\r\n{}".utf8
        )
    }

    static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            guard Sockets.isReady(descriptor, POLLOUT, milliseconds: 5000) else { return }
            let count = bytes.withUnsafeBytes { buffer in
                send(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, Sockets.withoutSignal)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// One message with a `Content-Length`; `nil` where the connection ends before.
    static func readMessage(_ descriptor: Int32, _ pending: inout [UInt8], deadline: Int32 = 60) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let room = buffer.count
        while true {
            if let length = messageLength(pending), pending.count >= length {
                defer { pending.removeFirst(length) }
                return Array(pending.prefix(length))
            }
            guard Sockets.isReady(descriptor, POLLIN, milliseconds: deadline * 1000) else { return nil }
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, room, 0) }
            guard count > 0 else { return nil }
            pending += buffer.prefix(count)
        }
    }

    private static func messageLength(_ bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes.prefix(8192), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound]
        let body = head.split(separator: "\r\n").lazy.compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].trimmingCharacters(in: .whitespaces))
        }.first
        return head.utf8.count + 4 + (body ?? 0)
    }
}
