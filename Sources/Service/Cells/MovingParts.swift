internal import EventLog
internal import Logging
internal import Pacing
internal import ServiceLifecycle

/// The parts of the service but its server, on the cells as they are.
///
/// Once the coordinator names another place of a cell, parts that know it take over: requests go to them at once, and the others end when
/// they have answered theirs. A process does to itself what another process would do that takes its place, and the server goes on.
struct MovingParts: Service {
    let first: ServiceParts
    let responder: CurrentResponder
    /// The longest wait for requests that the parts of before answer, and for those parts to end.
    let stopping: Duration
    let logger: Logger
    /// Makes parts on the cells as they are now.
    let make: @Sendable () async throws -> ServiceParts

    /// How often to look at the coordinator's list of cells.
    private static let interval = Duration.seconds(2)

    private enum Event: Sendable {
        case moved(ServiceParts)
        case failed(ServiceParts, any Error)
        case ended
    }

    func run() async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            var current = first
            func start(_ parts: ServiceParts) {
                group.addTask {
                    do {
                        try await parts.run()
                        return .ended
                    } catch {
                        return .failed(parts, error)
                    }
                }
                group.addTask { await next(after: parts).map { .moved($0) } ?? .ended }
            }
            start(current)
            while let event = try await group.next() {
                switch event {
                case .ended: continue
                case .failed(let parts, let error):
                    guard parts.routes !== current.routes else { throw error }
                    logger.warning(
                        "what served a cell at the place that it left did not end by itself, and was ended",
                        metadata: ["error": "\(error)"]
                    )
                case .moved(let next):
                    let before = current
                    current = next
                    start(next)
                    responder.change(to: next.routes)
                    group.addTask {
                        await retire(before)
                        return .ended
                    }
                }
            }
        }
    }

    /// Waits until a cell has another place.
    ///
    /// - Returns: parts that know it; nil if the service stops before.
    private func next(after parts: ServiceParts) async -> ServiceParts? {
        guard !parts.store.cells.isAlone else { return nil }
        return await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await ContinuousClock().sleep(for: Self.interval)
                guard let cells = try? await Cells.read(parts.pools.ingesting), !cells.isSame(as: parts.store.cells)
                else {
                    continue
                }
                do {
                    let next = try await make()
                    logger.notice("a cell is at another place: the service goes on there")
                    return next
                } catch {
                    logger.warning(
                        "a cell is at another place, where the service cannot go on: its devices' events are refused until it can",
                        metadata: ["error": "\(error)"]
                    )
                }
            }
            return nil
        }
    }

    private func retire(_ parts: ServiceParts) async {
        let end = ContinuousClock.now + stopping
        while !parts.routes.isIdle, ContinuousClock.now < end, !Task.isCancelled {
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
        await parts.stop()
    }
}

/// Parts of the service that end together.
struct ServiceParts: Sendable {
    let store: ServiceStore
    let pools: Pools
    let routes: CurrentResponder.Routes
    private let group: ServiceGroup

    /// - Parameter parts: in the order in which they start; they stop in reverse order.
    init(
        _ store: ServiceStore,
        _ pools: Pools,
        _ routes: CurrentResponder.Routes,
        _ parts: [any Service],
        stopping: Duration,
        _ logger: Logger
    ) {
        (self.store, self.pools, self.routes) = (store, pools, routes)
        var configuration = ServiceGroupConfiguration(services: parts, logger: logger)
        configuration.maximumGracefulShutdownDuration = stopping
        group = ServiceGroup(configuration: configuration)
    }

    /// Runs until the service stops, or these parts do.
    func run() async throws {
        try await deferring({ await pools.shutDown() }) { try await group.run() }
    }

    func stop() async { await group.triggerGracefulShutdown() }
}
