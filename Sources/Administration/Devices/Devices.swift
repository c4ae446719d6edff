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
        let cells = try await Cells.read(pool)
        for id in try await stored(device, app) {
            guard let state = try await state(id, app, cells) else { continue }
            var json = JSONWriter(capacity: 1024)
            state.write(to: &json, deviceID: device)
            return json.bytes
        }
        return nil
    }

    /// What an app had of a device when it was to be erased.
    public enum Found: Sendable {
        /// Something.
        case device
        /// Nothing: it was erased before.
        case erasedBefore
        /// Nothing, now and ever: its events are refused from its first erasure on.
        case nothing
    }

    /// Erases a device.
    ///
    /// - Returns: the result, and what there was to erase.
    /// - Throws: as ``show(_:app:)``; ``AdministrationError`` too where ids of the database were hashed and there is no secret.
    public func erase(_ device: String, app name: String) async throws -> (report: Erasure.Report, found: Found) {
        let app = try await Administration(pool).app(name)
        let cells = try await Cells.read(pool)
        var (ids, found) = ([String](), Found.nothing)
        for id in try await erased(device, app) {
            let isKnown = try await state(id, app, cells) != nil
            // A hash keeps it from the database that this is the device's id, unless the log has it already.
            if id == device, app.hashesIDs, !isKnown { continue }
            ids.append(id)
            if isKnown {
                found = .device
            } else if case .nothing = found, try await hadErased(id, app, cells) {
                found = .erasedBefore
            }
        }
        let report = try await CellErasure(cells).erase(ids, app: app.id)
        return (report, report.events > 0 ? .device : found)
    }

    private func state(_ id: String, _ app: App, _ cells: Cells) async throws -> DeviceState? {
        try await cells.withPool(ofDevice: id, pool) { try await DeviceState.read(app: app.id, device: id, $0) }
    }

    private func hadErased(_ id: String, _ app: App, _ cells: Cells) async throws -> Bool {
        try await cells.withPool(ofDevice: id, pool) { pool in
            try await pool.query("SELECT notilog.had_erased($1, $2)", [.app(app.id), .text(id)]).only().get(0)
        }
    }

    /// The ids under which the log may have what its clients call so, in the order to try: as it is stored now, then the other of
    /// hashed and as sent. The app's switch may have been turned.
    func stored(_ id: String, _ app: App) async throws -> [String] {
        let administration = Administration(pool)
        if let key = try await administration.verified(ids).key(of: app) { return [key.hash(id), id] }
        guard case .hashed(let key) = try await administration.pastPolicy(ids, app: app.id) else { return [id] }
        return [id, key.hash(id)]
    }

    /// The same, for an erasure, which must miss nothing.
    private func erased(_ device: String, _ app: App) async throws -> [String] {
        let stored = try await stored(device, app)
        guard case .unavailable = try await Administration(pool).pastPolicy(ids, app: app.id) else { return stored }
        throw AdministrationError(
            "ids of this database were hashed, and without the secret for them the erasure could miss events: set NOTILOG_ID_HASH_SECRET to the service's secret"
        )
    }
}
