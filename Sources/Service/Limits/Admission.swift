internal import EventLog
internal import Pacing
internal import Settings
internal import Synchronization

/// Bounds concurrent work, so that overload is refused rather than kept in memory.
///
/// Bytes are counted as they arrive, requests once they are complete. At the bound, the slowest body that is still arriving is
/// cut off: a body of an app above its share in favour of an app below it, or a body that hardly arrives in favour of any app.
final class Admission: Sendable {
    /// How much is worked on at a time.
    struct Limits: Sendable {
        /// Requests, of which one app takes three quarters at most.
        let requests: Int
        /// Bytes held by these and by requests that are still arriving. A single request is always let in.
        let bytes: Int

        init(requests: Int, bytes: Int) {
            self.requests = requests
            self.bytes = bytes
        }

        /// Reads the settings.
        init(_ settings: SettingsReader) {
            requests = settings.integer(
                "ingest.concurrent_requests",
                default: 512,
                atLeast: 1,
                atMost: 1_000_000,
                "requests with events at a time, else 503"
            )
            bytes = settings.integer(
                "ingest.bytes_in_flight",
                default: 64 << 20,
                atLeast: 1,
                atMost: 1 << 40,
                "bytes of bodies in memory, else 503"
            )
        }
    }

    private struct State {
        var requests: [AppID: Int] = [:]
        var allRequests = 0
        var bytes: [AppID: Int] = [:]
        var allBytes = 0
        var incoming: [UInt64: IncomingBody] = [:]
        var lastBody: UInt64 = 0
        var answered = DrainRate()
        var given = DrainRate()

        /// Sets what an app's request holds.
        mutating func set(_ held: Int, to wanted: Int, app: AppID) {
            allBytes += wanted - held
            if wanted < held { given.done(held - wanted) }
            let own = bytes[app, default: 0] + wanted - held
            bytes[app] = own == 0 ? nil : own
        }
    }

    /// A body that is still arriving.
    private struct IncomingBody {
        let app: AppID
        let since: ContinuousClock.Instant
        var bytes: Int
        let cutOff: @Sendable () -> Void

        /// Bytes a second.
        func rate(_ now: ContinuousClock.Instant) -> Double {
            Double(bytes) / max((now - since) / .seconds(1), 1e-3)
        }
    }

    private let state = Mutex(State())
    private let limits: Limits

    /// A body slower than this, in bytes a second, makes room for anybody once it has been arriving for ``slowAfter``.
    private static let slow = 65_536.0
    private static let slowAfter = Duration.seconds(2)

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Requests worked on, and the bytes held.
    var load: (requests: Int, bytes: Int) {
        state.withLock { ($0.allRequests, $0.allBytes) }
    }

    /// Admits a complete request. The caller calls ``leave(_:)`` at its end.
    ///
    /// - Throws: ``Problem`` 503 at the limit.
    func enter(_ app: AppID) throws(Problem) {
        let wait: Double? = state.withLock { state in
            let own = state.requests[app, default: 0]
            guard state.allRequests < limits.requests, own < max(1, limits.requests * 3 / 4) else {
                return state.answered.seconds(for: 1)
            }
            state.requests[app] = own + 1
            state.allRequests += 1
            return nil
        }
        if let wait { throw .overloaded(wait: wait) }
    }

    /// The 503 for a request of this number of bytes.
    func overloaded(wanting bytes: Int) -> Problem {
        .overloaded(wait: state.withLock { $0.given.seconds(for: bytes) })
    }

    /// A request is answered.
    func leave(_ app: AppID) {
        state.withLock { state in
            state.allRequests -= 1
            let own = state.requests[app, default: 0] - 1
            state.requests[app] = own == 0 ? nil : own
            state.answered.done(1)
        }
    }

    /// Registers a body that is still arriving.
    ///
    /// - Parameters:
    ///   - app: whose it is.
    ///   - bytes: what it holds so far.
    ///   - cutOff: ends it, from any thread.
    /// - Returns: its number.
    fileprivate func beginBody(_ app: AppID, bytes: Int, cutOff: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastBody += 1
            state.incoming[state.lastBody] = IncomingBody(app: app, since: .now, bytes: bytes, cutOff: cutOff)
            return state.lastBody
        }
    }

    /// Unregisters a body that is complete or given up. False if it was cut off: then its bytes are released already.
    fileprivate func endBody(_ body: UInt64) -> Bool {
        state.withLock { $0.incoming.removeValue(forKey: body) != nil }
    }

    /// Sets what a request holds, or refuses more than there is room for.
    ///
    /// - Parameters:
    ///   - bytes: the number that it holds from now on.
    ///   - held: what it holds so far.
    ///   - app: whose it is.
    ///   - body: its number while it arrives.
    fileprivate func hold(_ bytes: Int, held: Int, app: AppID, body: UInt64? = nil) -> Bool {
        let (isHeld, slow) = state.withLock { state -> (Bool, [IncomingBody]) in
            if let body, state.incoming[body] == nil { return (false, []) }
            var cut: [IncomingBody] = []
            let others = state.allBytes - held
            if bytes > held, others > 0 {
                while state.allBytes - held + bytes > limits.bytes {
                    guard let victim = slowest(state, for: app, wanting: bytes - held, but: body) else {
                        return (false, cut)
                    }
                    if let removed = state.incoming.removeValue(forKey: victim) {
                        state.set(removed.bytes, to: 0, app: removed.app)
                        cut.append(removed)
                    }
                }
            }
            state.set(held, to: bytes, app: app)
            if let body { state.incoming[body]?.bytes = bytes }
            return (true, cut)
        }
        for body in slow { body.cutOff() }
        return isHeld
    }

    /// The body to cut off to make room for an app; nil if there is none.
    private func slowest(_ state: State, for app: AppID, wanting more: Int, but body: UInt64?) -> UInt64? {
        let now = ContinuousClock.now
        let apps = state.bytes.count + (state.bytes[app] == nil ? 1 : 0)
        let share = limits.bytes / apps
        let isWithinShare = state.bytes[app, default: 0] + more <= share
        return state.incoming
            .filter { number, other in
                guard number != body else { return false }
                if isWithinShare, other.app != app, state.bytes[other.app, default: 0] > share { return true }
                return now - other.since >= Self.slowAfter && other.rate(now) < Self.slow
            }
            .min { $0.value.rate(now) < $1.value.rate(now) }?
            .key
    }
}

/// What one request holds of the ``Admission``'s bytes; it is given back at the end of its life.
struct Holding: ~Copyable {
    private let admission: Admission
    private let app: AppID
    private var body: UInt64?
    private(set) var bytes = 0

    init(_ admission: Admission, app: AppID) {
        self.admission = admission
        self.app = app
    }

    deinit {
        if let body, !admission.endBody(body) { return }
        _ = admission.hold(0, held: bytes, app: app)
    }

    /// The 503 for a body that was displaced.
    var crowdedOut: Problem { admission.overloaded(wanting: max(bytes, 1)) }

    /// Registers the body as still arriving: from now on others may displace it.
    ///
    /// - Parameter cutOff: ends the body, from any thread; called once at most.
    mutating func awaitMore(cutOff: @escaping @Sendable () -> Void) {
        guard body == nil else { return }
        body = admission.beginBody(app, bytes: bytes, cutOff: cutOff)
    }

    /// Notes that the body is complete.
    ///
    /// - Throws: ``Problem`` 503 if it was cut off.
    mutating func complete() throws(Problem) {
        guard let number = body else { return }
        body = nil
        guard admission.endBody(number) else {
            defer { bytes = 0 }
            throw admission.overloaded(wanting: bytes)
        }
    }

    /// Reserves memory for this number of bytes in all.
    ///
    /// - Throws: ``Problem`` 503 at the bound.
    mutating func hold(_ wanted: Int) throws(Problem) {
        guard admission.hold(wanted, held: bytes, app: app, body: body) else {
            throw admission.overloaded(wanting: max(wanted - bytes, 1))
        }
        bytes = wanted
    }
}
