internal import Administration
internal import Decoding
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Pacing
internal import Postgres

/// `GET /v1/devices/{id}`: settings, tokens, reachability, as the projections have them. `DELETE` erases the device.
struct DeviceEndpoint: Sendable {
    let pools: Pools
    let erasure: CellErasure
    /// How apps hash their ids.
    let ids: IDHashing
    /// An erasure holds a session of its own while it waits for batches and exports that read the device. Each app has one at a
    /// time.
    private let erasures = Turns<AppID>(limit: Self.erasuresAtATime)
    /// The most erasures at a time.
    static let erasuresAtATime = 4
    private let waiting = Slots(limit: 256, appLimit: 64)
    /// How long a request waits for its erasure, which then continues without it.
    private static let timeout = Duration.seconds(15)

    init(pools: Pools, erasure: CellErasure, ids: IDHashing) {
        self.pools = pools
        self.erasure = erasure
        self.ids = ids
    }

    var reading: [Route] {
        [
            .reading("/v1/devices/{id}") { _, context, grant in
                let deviceID = try context.pathParameter("id")
                var device: DeviceState?
                for stored in try grant.storedIDs(deviceID) where device == nil {
                    device = try await DeviceState.read(app: grant.appID, device: stored, pools.ofDevice(stored))
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
                        // From here on the erasure is recorded: another process would finish it.
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

    /// The ids under which a device is erased: the id as the log stores it now; the given id if the log has events of it, from
    /// before the app's ids were hashed; and the hashed one, because they may have been hashed before, or may be again.
    private func erased(_ id: String, _ grant: Grant) async throws -> [String] {
        let stored = try grant.storedID(id)
        guard (1...128).contains(stored.utf8.count) else {
            throw Problem.badParameter("a device id has 1 to 128 bytes")
        }
        switch try await Administration(pools.administering).pastPolicy(ids, app: grant.appID) {
        case .unavailable: throw Problem.noSecretOfEarlierIDs
        case .hashed(let key) where stored == id: return [stored, key.hash(id)]
        case .hashed, .clear: break
        }
        guard stored != id else { return [stored] }
        let isKnownAsGiven = try await DeviceState.read(app: grant.appID, device: id, pools.ofDevice(id)) != nil
        return isKnownAsGiven ? [stored, id] : [stored]
    }

    /// Erases a device in its app's turn. Returns nil if that takes too long; the erasure then continues.
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
            try await ContinuousClock().sleep(for: Self.timeout)
            end.yield(nil)
        }
        defer { timer.cancel() }
        for try await first in ends { return first }
        throw CancellationError()
    }
}
