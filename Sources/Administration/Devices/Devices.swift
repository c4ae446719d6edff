internal import Decoding
public import EventLog
internal import JSON
public import Postgres

/// Devices, for commands: as their app's keys would name them.
public struct Devices: Sendable {
    let pool: Pool
    private let ids: IDHashing

    /// - Parameters:
    ///   - pool: lends connections.
    ///   - ids: how apps hash their ids.
    public init(_ pool: Pool, ids: IDHashing) {
        self.pool = pool
        self.ids = ids
    }

    /// A device as `GET /v1/devices/{id}` answers it, as JSON; nil where the app has no event of it.
    ///
    /// - Throws: ``AdministrationError`` where there is no such app, or its ids are hashed and there is no secret;
    ///   `PostgresError`.
    public func show(_ device: String, app name: String) async throws -> [UInt8]? {
        let app = try await Administration(pool).app(name)
        let id = try await stored(device, app)
        let state = try await Cells.read(pool).withPool(ofDevice: id, pool) {
            try await DeviceState.read(app: app.id, device: id, $0)
        }
        guard let state else { return nil }
        var json = JSONWriter(capacity: 1024)
        state.write(to: &json, deviceID: device)
        return json.bytes
    }

    /// Erases a device.
    ///
    /// - Returns: the result, and whether the device was known, if only as erased.
    /// - Throws: as ``show(_:app:)``.
    public func erase(_ device: String, app name: String) async throws -> (report: Erasure.Report, isKnown: Bool) {
        let app = try await Administration(pool).app(name)
        let cells = try await Cells.read(pool)
        let id = try await stored(device, app)
        // An app that began to keep hashes has earlier events under the id as it was sent.
        let isKnownAsSent = id != device ? try await isKnown(device, app, cells) : false
        let isHere = isKnownAsSent ? true : try await isKnown(id, app, cells)
        let wasErased: Bool =
            try await pool.query("SELECT log.is_erased($1, $2)", [.app(app.id), .text(id)]).only().get(0)
        let report = try await CellErasure(cells).erase(isKnownAsSent ? [id, device] : [id], app: app.id)
        return (report, isHere || wasErased || report.events > 0)
    }

    private func isKnown(_ id: String, _ app: App, _ cells: Cells) async throws -> Bool {
        try await cells.withPool(ofDevice: id, pool) {
            try await DeviceState.read(app: app.id, device: id, $0) != nil
        }
    }

    func stored(_ device: String, _ app: App) async throws -> String {
        guard app.hashesIDs else { return device }
        return try await Administration(pool).verified(ids).key(of: app)?.hash(device) ?? device
    }
}
