internal import Folds
internal import Postgres

/// Applies a range of the log to the projections of the group of `notification`. It reads the events, loads the stored state of
/// their devices, notifications and categories, folds, and writes what changed, table by table.
///
/// It runs on the thread of a connection, in the caller's transaction, and holds nothing beyond the batch.
final class NotificationFold: Fold {
    let range: FoldRange
    /// The most notifications of changed categories that it updates; nil for the default.
    private(set) var sliceRows: Int32?

    var symbols = Symbols()
    var devices: [DeviceKey: DeviceBatch] = [:]
    var categories: [Int32: Categories] = [:]
    /// The registrations of the batch, by app.
    var lists: [Int32: [Categories.List: Categories.Origin]] = [:]
    var registered: [Int32: Set<Categories.Key>] = [:]
    /// The registrations that are known.
    var loadedCategories: Set<AppCategory> = []
    var repeated = RepeatedRollup()
    /// The dimensions that apps named, of which the batch has positions.
    var ownDimensions: [Int32: [OwnDimension]] = [:]
    /// The batch has an erasure, of a device of any lane.
    var hasErasure = false

    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> NotificationFold {
        let fold = NotificationFold(range)
        if !range.isEmpty {
            try await fold.loadOwnDimensions(on: connection)
            try await fold.read(on: connection)
        }
        return fold
    }

    private init(_ range: FoldRange) {
        self.range = range
    }

    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws {
        self.sliceRows = sliceRows
        if range.isEmpty { try await FoldTables.insertNothing(of: range.lane, on: connection) }
        try await foldCategories(on: connection)
        try await foldDevices(on: connection)
        try await touch(on: connection)
        try await foldNotifications(on: connection)
        try await write(on: connection)
    }

    func device(_ key: DeviceKey) -> DeviceBatch {
        if let known = devices[key] { return known }
        let device = DeviceBatch(key)
        devices[key] = device
        return device
    }
}
