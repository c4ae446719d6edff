import Foundation

/// A client of the tests' own that sends what it is told to, HTTP or not, on threads of its own.
final class RawClient: Sendable {
    private let descriptor: Int32

    /// - Parameter url: the service's, such as `http://127.0.0.1:8080`.
    init(_ url: String) throws {
        descriptor = try Sockets.connect(port: UInt16(url.split(separator: ":").last ?? "") ?? 0)
    }

    deinit {
        Foundation.close(descriptor)
    }

    /// Sends bytes. False where the other end does not take them any more.
    @discardableResult
    func send(_ bytes: [UInt8], within limit: Duration = .seconds(5)) async -> Bool {
        await onThread { [descriptor] in
            let deadline = ContinuousClock.now + limit
            var rest = bytes[...]
            while !rest.isEmpty, ContinuousClock.now < deadline {
                guard Sockets.isReady(descriptor, POLLOUT, milliseconds: 100) else { continue }
                let count = rest.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, Sockets.withoutSignal)
                }
                if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return rest.isEmpty
        }
    }

    @discardableResult
    func send(_ text: String) async -> Bool {
        await send(Array(text.utf8))
    }

    /// Says that nothing more comes.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// What came until the other end closed, or until there is a whole head and nothing more for a while.
    ///
    /// - Returns: what came, and whether the connection is closed.
    func receive(within limit: Duration, untilClosed: Bool = false) async -> (bytes: [UInt8], isClosed: Bool) {
        await onThread { [descriptor] in
            let deadline = ContinuousClock.now + limit
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while ContinuousClock.now < deadline {
                guard Sockets.isReady(descriptor, POLLIN, milliseconds: 50) else {
                    if !untilClosed, !bytes.isEmpty { break }
                    continue
                }
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
                guard count > 0 else { return (bytes, true) }
                bytes += buffer[..<count]
            }
            return (bytes, false)
        }
    }

    /// The first line of the answer that comes, read with no more of it than stands in the way.
    func begins(within limit: Duration) async -> String {
        await onThread { [descriptor] in
            let deadline = ContinuousClock.now + limit
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while ContinuousClock.now < deadline, bytes.suffix(2) != [13, 10] {
                guard Sockets.isReady(descriptor, POLLIN, milliseconds: 50) else { continue }
                guard read(descriptor, &byte, 1) > 0 else { break }
                bytes.append(byte)
            }
            return String(decoding: bytes.dropLast(2), as: UTF8.self)
        }
    }

    /// The status of the answer that comes; nil where none does.
    func status(within limit: Duration) async -> Int? {
        let (bytes, _) = await receive(within: limit)
        let line = String(decoding: bytes.prefix(64), as: UTF8.self).split(separator: "\r\n").first ?? ""
        let parts = line.split(separator: " ")
        return parts.count > 1 && ["HTTP/1.1", "HTTP/1.0"].contains(parts[0]) ? Int(parts[1]) : nil
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
