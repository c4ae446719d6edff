internal import Folds
internal import Postgres

/// Applies a range of the log to the projections of the group of `notification`: reads its events, loads what is known of
/// their devices, notifications and categories, folds, and writes what changed, with one statement a table.
///
/// It runs on the connection's thread, in the caller's transaction, and holds nothing beyond it.
final class NotificationFold {
    /// The version of what it computes: raised where a change makes other rows of the same events, so that a version of
    /// another release is known to be one. `fold.sql` of the leader has it too.
    static let version = 1

    let after: Int64
    let upTo: Int64
    /// The most notifications of changed categories that it updates; nil for the default.
    let sliceRows: Int32?

    var vocabulary = Vocabulary()
    var devices: [DeviceKey: DeviceBatch] = [:]
    var categories: [Int32: Categories] = [:]
    /// The registrations of the batch, by app.
    var lists: [Int32: [Categories.List: Categories.Said]] = [:]
    var registered: [Int32: Set<Categories.Key>] = [:]
    /// The categories that are known, with all their versions.
    var loadedCategories: Set<AppCategory> = []
    var repeated = RepeatedRollup()

    struct AppCategory: Hashable {
        var app: Int32
        var category: Symbol
    }

    init(after: Int64, upTo: Int64, sliceRows: Int32?) {
        self.after = after
        self.upTo = upTo
        self.sliceRows = sliceRows
    }

    /// - Throws: `PostgresError`, with SQLSTATE class 22 where an event cannot be folded.
    static func apply(
        after: Int64,
        upTo: Int64,
        sliceRows: Int32?,
        on connection: isolated Connection
    ) async throws {
        let fold = NotificationFold(after: after, upTo: upTo, sliceRows: sliceRows)
        // Without an event it has still to fail where it would with any.
        if after == upTo { try await FoldTables.insertNothing(on: connection) }
        do {
            try await fold.apply(on: connection)
        } catch let error as FoldError {
            throw PostgresError(error)
        }
    }

    private func apply(on connection: isolated Connection) async throws {
        if after < upTo { try await read(on: connection) }
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

extension PostgresError {
    /// As PostgreSQL would have said it.
    fileprivate init(_ error: FoldError) {
        switch error {
        case .overflow:
            self.init(unexpected: "a count of a notification is out of range")
            sqlState = "22003"
        case .value:
            self.init(unexpected: "a value of an event is no time or number of its range")
            sqlState = "22000"
        case .packing:
            self.init(unexpected: "the facts of a notification are cut short, or of a version that is not known")
            sqlState = "22000"
        }
    }
}
