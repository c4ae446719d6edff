internal import EventLog
internal import NIOCore
internal import Pacing
internal import Settings
internal import Synchronization

/// The seats for connections: a number in all, and a number for one address.
///
/// When all are in use, a new connection replaces the one that has been idle longest, preferably one that never sent a valid
/// key. If none is idle, it gets one of a few spare seats, on which only health and metrics are answered.
final class Connections: Sendable {
    /// The numbers of seats.
    struct Limits: Sendable {
        var all: Int
        var ofAddress: Int
        var spare = 64

        init(all: Int, ofAddress: Int, spare: Int = 64) {
            self.all = all
            self.ofAddress = ofAddress
            self.spare = spare
        }

        /// Reads the settings.
        init(_ settings: SettingsReader) {
            let all = settings.integer(
                "http.connections",
                default: 4096,
                atLeast: 1,
                atMost: 1_000_000,
                "connections at a time; a new one replaces an idle one, else 503"
            )
            let own = settings.integer(
                "http.connections_per_address",
                atLeast: 0,
                atMost: 1_000_000,
                "connections from one address; default: a quarter, 0 for no limit"
            )
            let bound = own ?? max(1, all / 4)
            self.init(all: all, ofAddress: bound > 0 ? bound : all)
        }
    }

    private struct State {
        var seats: [ObjectIdentifier: Seat] = [:]
        var ofAddress: [PeerAddress: Int] = [:]
        var ordinary = 0
        var spare = 0
        var left = DrainRate()
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// The number of connections with an ordinary seat.
    var count: Int { state.withLock { $0.ordinary } }

    /// Gives a connection a seat, an idle connection's if none is free.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - address: its client's address; nil if addresses are not counted.
    ///   - close: closes it, from any thread; called once at most.
    /// - Returns: nil if there is no seat of any kind.
    func enter(
        _ connection: ObjectIdentifier,
        _ address: PeerAddress?,
        now: NIODeadline = .now(),
        close: @escaping @Sendable () -> Void
    ) -> Seat? {
        let (seat, victim) = state.withLock { state -> (Seat?, Seat?) in
            var victim: Seat?
            var isSpare = false
            if let address, state.ofAddress[address, default: 0] >= limits.ofAddress {
                victim = Self.mostIdle(state) { !$0.isSpare && $0.address == address }
                isSpare = victim == nil
            } else if state.ordinary >= limits.all {
                victim = Self.mostIdle(state) { !$0.isSpare }
                isSpare = victim == nil
            }
            if isSpare, state.spare >= limits.spare {
                victim = Self.mostIdle(state, \.isSpare)
                if victim == nil { return (nil, nil) }
            }
            if let victim { Self.remove(victim, &state) }
            let seat = Seat(connection, address, isSpare: isSpare, now: now, close: close)
            state.seats[connection] = seat
            if isSpare {
                state.spare += 1
            } else {
                state.ordinary += 1
                if let address { state.ofAddress[address, default: 0] += 1 }
            }
            return (seat, victim)
        }
        victim?.close()
        return seat
    }

    /// A connection is closed.
    func leave(_ seat: Seat) {
        state.withLock { state in
            guard state.seats[seat.connection] === seat else { return }
            Self.remove(seat, &state)
            if !seat.isSpare { state.left.done(1) }
        }
    }

    /// The seat of a connection; nil if it no longer has one.
    func seat(of connection: ObjectIdentifier) -> Seat? {
        state.withLock { $0.seats[connection] }
    }

    /// The expected time until a seat becomes free, in seconds.
    var wait: Double { state.withLock { $0.left.seconds(for: 1) } }

    private static func remove(_ seat: Seat, _ state: inout State) {
        state.seats[seat.connection] = nil
        if seat.isSpare {
            state.spare -= 1
            return
        }
        state.ordinary -= 1
        guard let address = seat.address else { return }
        let others = state.ofAddress[address, default: 1] - 1
        state.ofAddress[address] = others == 0 ? nil : others
    }

    private static func mostIdle(_ state: State, _ matches: (Seat) -> Bool) -> Seat? {
        var found: (seat: Seat, key: (Int, UInt64))?
        for seat in state.seats.values {
            guard let since = seat.idleSince, matches(seat) else { continue }
            let key = (seat.hasKey ? 1 : 0, since)
            if found.map({ key < $0.key }) ?? true { found = (seat, key) }
        }
        return found?.seat
    }
}

/// The seat of one connection.
final class Seat: Sendable {
    let connection: ObjectIdentifier
    let address: PeerAddress?
    /// Whether it is a spare seat, for health and metrics alone.
    let isSpare: Bool
    /// Ends the connection, from any thread.
    let close: @Sendable () -> Void
    /// Since when it is idle, in nanoseconds; 0 while a request is processed.
    private let idle: Atomic<UInt64>
    private let key = Atomic(false)

    fileprivate init(
        _ connection: ObjectIdentifier,
        _ address: PeerAddress?,
        isSpare: Bool,
        now: NIODeadline,
        close: @escaping @Sendable () -> Void
    ) {
        self.connection = connection
        self.address = address
        self.isSpare = isSpare
        self.close = close
        idle = Atomic(now.uptimeNanoseconds)
    }

    /// Whether a request with an active key came on it.
    var hasKey: Bool { key.load(ordering: .relaxed) }

    /// Since when it is idle; nil while a request is processed.
    var idleSince: UInt64? {
        let since = idle.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    func hasShownKey() { key.store(true, ordering: .relaxed) }

    func isBusy() { idle.store(0, ordering: .relaxed) }

    func isIdle(_ now: NIODeadline = .now()) { idle.store(now.uptimeNanoseconds, ordering: .relaxed) }
}
