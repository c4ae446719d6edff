/// Notification traffic of one app over some weeks: people with habits, the sender of its pushes, and all that goes wrong
/// between them. Made up from a seed; no person's data is in it.
///
/// The sequence gives events in the order in which they are sent, which for devices that were offline is not the order
/// in which they occurred. Devices are simulated a quarter of a day at a time, so memory holds that quarter's lines and
/// what is late, beside about 1 KB a device. It can be iterated any number of times, always with the same result.
public struct Simulation: Sequence, Sendable {
    /// What this simulation is a function of.
    public let parameters: SimulationParameters

    /// A simulation that starts when it is iterated.
    public init(_ parameters: SimulationParameters) {
        self.parameters = parameters
    }

    /// Starts the simulation at its beginning.
    public func makeIterator() -> Iterator {
        Iterator(parameters)
    }

    /// How many events of each kind are sent, repeats included.
    public func counts() -> [SimulatedKind: Int] {
        var counts: [SimulatedKind: Int] = [:]
        for event in self { counts[event.kind, default: 0] += 1 }
        return counts
    }

    /// Gives one event after the other.
    public struct Iterator: IteratorProtocol {
        private static let sliceLength = 6 * Span.hour

        private let world: World
        private var outbox: Outbox
        private var devices: [Device]
        private var slice = 0
        private var current = Outbox.Slice()
        private var given = 0

        fileprivate init(_ parameters: SimulationParameters) {
            let world = World(parameters)
            self.world = world
            outbox = Outbox(start: world.start, end: world.end, sliceLength: Self.sliceLength)
            devices = (0..<parameters.devices).map { Device(index: $0, world: world) }
        }

        /// The next event to send; nil at the end of the simulated time.
        public mutating func next() -> SimulatedEvent? {
            while given == current.sends.count {
                guard advance() else { return nil }
            }
            let send = current.sends[given]
            given += 1
            return SimulatedEvent(
                kind: send.kind,
                source: send.source,
                line: current.bytes[send.range],
                sentAt: send.sentAt,
                clockSkew: send.clockSkew,
                isRetry: send.isRetry
            )
        }

        /// Simulates the next quarter of a day. False at the end.
        private mutating func advance() -> Bool {
            let from = world.start + Int64(slice) * Self.sliceLength
            guard from < world.end else { return false }
            for index in devices.indices {
                devices[index].live(until: Swift.min(from + Self.sliceLength, world.end), in: world, &outbox)
            }
            current = outbox.take(slice: slice)
            given = 0
            slice += 1
            return true
        }
    }
}
