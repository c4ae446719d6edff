import Foundation
import Synchronization

/// A TCP proxy that harms what goes through it: between service and PostgreSQL, and between clients and service.
///
/// Threads of its own carry the bytes, as they block; nothing of it runs on the cooperative pool.
final class FaultProxy: Sendable {
    /// Where it leads.
    enum Upstream: Sendable {
        case port(UInt16)
        case socket(path: String)
    }

    struct State {
        /// Nothing is carried, and nobody is told: as behind a firewall that forgot the connection.
        var isDropping = false
        /// Microseconds that each piece is held back.
        var delay: UInt32 = 0
        var isClosed = false
        var links: [FaultLink] = []
    }

    let state = Mutex(State())
    private let listener: Int32
    /// Its port on 127.0.0.1.
    let port: UInt16
    private let upstream: Upstream

    /// Listens on a free port of 127.0.0.1.
    ///
    /// - Throws: ``SocketFailure``.
    init(to upstream: Upstream) throws {
        self.upstream = upstream
        (listener, port) = try Sockets.listen()
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends it, and every connection through it.
    func close() {
        reset()
        state.withLock { $0.isClosed = true }
    }

    /// Breaks every connection off with a reset (RST).
    func reset() {
        for link in takeLinks() { link.end(.reset) }
    }

    /// Ends every connection in the middle of its next piece from the server, after so many bytes.
    func truncate(after bytes: Int) {
        for link in state.withLock({ $0.links }) { link.truncate(after: bytes) }
    }

    /// Swallows everything from now on, or carries it again. What was held back meanwhile goes on its way.
    func drop(_ isDropping: Bool) {
        state.withLock { $0.isDropping = isDropping }
    }

    /// Holds each piece back for so long.
    func delay(milliseconds: Int) {
        state.withLock { $0.delay = UInt32(milliseconds * 1000) }
    }

    var isDropping: Bool { state.withLock { $0.isDropping } }
    var delay: UInt32 { state.withLock { $0.delay } }

    private func takeLinks() -> [FaultLink] {
        state.withLock { state in
            defer { state.links = [] }
            return state.links
        }
    }

    private func accept() {
        while !state.withLock({ $0.isClosed }) {
            guard Sockets.isReady(listener, POLLIN, milliseconds: 50), let client = Sockets.accept(listener) else {
                continue
            }
            guard let server = try? Sockets.connect(upstream) else {
                Sockets.close(client, withReset: true)
                continue
            }
            let link = FaultLink(client: client, server: server, proxy: self)
            state.withLock { state in
                state.links.removeAll { $0.isOver }
                state.links.append(link)
            }
            link.start()
        }
        Sockets.close(listener, withReset: false)
    }
}
