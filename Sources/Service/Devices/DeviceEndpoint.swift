internal import Administration
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Pacing
internal import Postgres

/// `GET /v1/devices/{id}`: settings, tokens, reachability, as the projections have them. `DELETE` erases the device.
struct DeviceEndpoint: Sendable {
    let pool: Pool
    let erasure: Erasure
    /// Each takes a session of its own for as long as it waits for batches and exports that read the device: one an app.
    private let erasures = Turns<AppID>(limit: 4)
    private let waiting = Slots(limit: 256, appLimit: 64)
    /// How long a request waits for its erasure. Then it goes on without the request.
    private static let patience = Duration.seconds(15)

    init(pool: Pool, erasure: Erasure) {
        self.pool = pool
        self.erasure = erasure
    }

    var reading: [Route] {
        [
            .reading("/v1/devices/{id}") { _, context, grant in
                let deviceID = try context.pathParameter("id")
                var device: DeviceState?
                for stored in try grant.storedIDs(deviceID) where device == nil {
                    device = try await DeviceState.read(app: grant.appID, device: stored, pool)
                }
                guard let device else { throw Problem.notFound("the app has no event of this device") }
                var json = JSONWriter(capacity: 1024)
                device.write(to: &json, deviceID: deviceID)
                return .json(json)
            }
        ]
    }

    var erasing: [Route] {
        [
            Route(
                method: .delete,
                template: "/v1/devices/{id}",
                handler: .keyed([.admin]) { _, context, grant in
                    let ids = try await erased(try context.pathParameter("id"), grant)
                    guard let report = try await erase(ids, app: grant.appID) else {
                        // From here on the store knows of it: another process would do it.
                        for id in ids { try await erasure.note(id, app: grant.appID) }
                        var json = JSONWriter(capacity: 32)
                        json.object { $0.field("state", "pending") }
                        return .json(json, status: .accepted)
                    }
                    return .object {
                        $0.field("position", report.position.rawValue)
                        $0.field("events", report.events)
                    }
                }
            )
        ]
    }

    /// The ids that a device is erased under: as the log has what it sends, and as it was given, where the log has events of that, as of
    /// before the app's ids were hashed.
    private func erased(_ id: String, _ grant: Grant) async throws -> [String] {
        let stored = try grant.storedID(id)
        guard (1...128).contains(stored.utf8.count) else {
            throw Problem.badParameter("a device id has 1 to 128 bytes")
        }
        guard stored != id else { return [stored] }
        let isKnownAsGiven = try await DeviceState.read(app: grant.appID, device: id, pool) != nil
        return isKnownAsGiven ? [stored, id] : [stored]
    }

    /// Erases a device in its app's turn; nil where that is not done in time, and goes on.
    private func erase(_ ids: [String], app: AppID) async throws -> Erasure.Report? {
        let slot = try waiting.take(app)
        let (ends, end) = AsyncThrowingStream<Erasure.Report?, any Error>.makeStream()
        Task { [erasures, erasure] in
            defer { withExtendedLifetime(slot) {} }
            do {
                end.yield(try await erasures.take(app) { try await erasure.erase(ids, app: app) })
            } catch {
                end.finish(throwing: error)
            }
        }
        let timer = Task {
            try await ContinuousClock().sleep(for: Self.patience)
            end.yield(nil)
        }
        defer { timer.cancel() }
        for try await first in ends { return first }
        throw CancellationError()
    }
}
