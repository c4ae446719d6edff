import Foundation
import Synchronization

/// One connection through a ``FaultProxy``: two threads, one for each direction.
final class FaultLink: Sendable {
    enum End { case open, closed, reset }

    private struct State {
        var end = End.open
        var threads = 2
        /// Bytes of the server's next piece after which it ends.
        var truncation: Int?
    }

    private let client: Int32
    private let server: Int32
    private let proxy: FaultProxy
    private let state = Mutex(State())

    init(client: Int32, server: Int32, proxy: FaultProxy) {
        self.client = client
        self.server = server
        self.proxy = proxy
    }

    var isOver: Bool { state.withLock { $0.threads == 0 } }

    func start() {
        Thread.detachNewThread { [self] in carry(from: client, to: server, isAnswer: false) }
        Thread.detachNewThread { [self] in carry(from: server, to: client, isAnswer: true) }
    }

    func end(_ end: End) {
        state.withLock { if $0.end == .open { $0.end = end } }
    }

    func truncate(after bytes: Int) {
        state.withLock { $0.truncation = bytes }
    }

    private var isOpen: Bool { state.withLock { $0.end == .open } }

    private func carry(from source: Int32, to target: Int32, isAnswer: Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        carrying: while isOpen {
            guard Sockets.isReady(source, POLLIN, milliseconds: 20) else { continue }
            // While everything is dropped nothing is read either, so that both ends fill up and wait.
            if proxy.isDropping {
                usleep(10_000)
                continue
            }
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
                end(.closed)
                break
            }
            let delay = proxy.delay
            if delay > 0 { usleep(delay) }
            var length = count
            if isAnswer, let truncation = state.withLock({ $0.truncation }) {
                length = min(count, truncation)
                write(buffer[..<length], to: target)
                end(.closed)
                break carrying
            }
            write(buffer[..<length], to: target)
        }
        leave()
    }

    private func write(_ bytes: ArraySlice<UInt8>, to target: Int32) {
        var rest = bytes
        while !rest.isEmpty, isOpen {
            guard Sockets.isReady(target, POLLOUT, milliseconds: 20) else { continue }
            let count = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Sockets.withoutSignal) }
            guard count > 0 else {
                if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
                return end(.closed)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// The last of the two threads closes the sockets, so that no number is reused under the other.
    private func leave() {
        let (threads, end) = state.withLock { state in
            state.threads -= 1
            if state.end == .open { state.end = .closed }
            return (state.threads, state.end)
        }
        guard threads == 0 else { return }
        Sockets.close(client, withReset: end == .reset)
        Sockets.close(server, withReset: end == .reset)
    }
}
