import Decoding
import EventLog
import NotificationEvents
import Postgres
import Reports
import Schema
import Simulator

extension LawStore {
    /// The end of what is simulated: 2025-11-21T00:00:00Z.
    static let simulationEnd = Timestamp(microseconds: 1_763_683_200_000_000)

    /// Stores and applies what simulated devices send for a new app, received as it is sent.
    ///
    /// - Parameter isKept: whether an event is stored at all.
    func simulate(
        devices: Int,
        days: Int,
        app name: String = "demo",
        plant: SimulationPlant? = nil,
        where isKept: (SimulatedEvent) -> Bool = { _ in true }
    ) async throws {
        let app = try await connection.query(
            "INSERT INTO notilog.app (name) VALUES ($1) RETURNING app_id",
            [.text(name)]
        ).only().get(0, as: AppID.self)
        try await Self.simulated(devices: devices, days: days, plant: plant, where: isKept) { events in
            try await append([(app, events)])
        }
        try await apply(limit: 10_000)
    }

    /// Makes what simulated devices send, received as it is sent.
    ///
    /// - Parameter take: takes some thousand events at a time.
    static func simulated(
        devices: Int,
        days: Int,
        plant: SimulationPlant? = nil,
        where isKept: (SimulatedEvent) -> Bool = { _ in true },
        _ take: ([NormalisedEvent]) async throws -> Void
    ) async throws {
        let decoder = EventDecoder()
        let parameters = SimulationParameters(
            devices: devices,
            days: days,
            end: simulationEnd.microseconds,
            seed: 11,
            plant: plant
        )
        var events: [NormalisedEvent] = []
        for sent in Simulation(parameters) where !sent.isRetry && isKept(sent) {
            let items = try decoder.decode(
                Array(sent.line),
                format: .ndjson,
                policy: DecodingPolicy(scope: .admin),
                receivedAt: Timestamp(microseconds: sent.sentAt),
                sentAt: Timestamp(microseconds: sent.sentAt + sent.clockSkew)
            )
            for case .accepted(let event, _) in items.map(\.item) { events.append(event) }
            if events.count >= 5000 {
                try await take(events)
                events = []
            }
        }
        try await take(events)
    }

    /// A report of an app at the end of what is simulated.
    func report(_ name: String, _ values: [(String, String)], app: String = "demo") async throws -> ReportResult {
        let pool = Pool(database.configuration, limit: 1)
        let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
        let parameters = try ReportParameters(values, for: try runner.catalogue.report(name))
        let result = try await runner.run(parameters, app: app, asOf: Self.simulationEnd)
        await pool.shutDown()
        return result
    }
}
