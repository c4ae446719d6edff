internal import Folds
internal import Postgres

/// Applies a range of the log to the group of `push_result`: answers of providers, and events that have rows of their own
/// instead of a notification's.
struct PushResultFold: Fold {
    private let range: FoldRange
    private var symbols = Symbols()
    private var results = PushResults()
    private var requests: [(event: DeviceEvent, request: AuthorizationRequest)] = []
    private var opens: [DeviceEvent] = []
    private var runs: [ExtensionRunRow] = []
    private var removals: [RemovalKey: Moment] = [:]

    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> PushResultFold {
        var fold = PushResultFold(range: range)
        try await range.read(from: "push_result_events", on: connection) { row in
            let event = FoldEvent(row, &fold.symbols)
            try event.withData { try fold.take(event, data: $0) }
        }
        return fold
    }

    private mutating func take(_ event: FoldEvent, data: UnsafeRawBufferPointer) throws {
        switch event.kind {
        case .pushResult:
            let answer = PushAnswer(data, &symbols)
            try results.add(answer, app: event.app, at: event.at, position: event.position, symbols)
        case .authorizationRequest:
            guard let device = DeviceEvent(event) else { return }
            requests.append((device, AuthorizationRequest(data, &symbols)))
        case .openSettings:
            if let device = DeviceEvent(event) { opens.append(device) }
        case .delivery:
            guard let notification = event.notificationID,
                data.member("source")?.isString("service_extension") == true
            else { return }
            let run = try data.member("extension").map { try Event.ExtensionRun($0, &symbols) }
            runs.append(ExtensionRunRow(notification: notification, at: event.at, id: event.id, run: run ?? .init()))
        case .removal:
            guard let notification = event.notificationID else { return }
            let key = RemovalKey(
                notification: notification,
                state: data.member("state")?.text(in: &symbols.names).orEmpty ?? .empty,
                reason: data.member("reason")?.text(in: &symbols.names).orEmpty ?? .empty
            )
            removals[key] = min(removals[key] ?? .none, event.at)
        default: break
        }
    }

    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws {
        if range.isEmpty { try await FoldTables.insertNothingOfPushResult(on: connection) }
        try await FoldTables.pushResult.upsert(Array(results.counts), symbols, on: connection)
        try await FoldTables.pushResultPlace.upsert(Array(results.positions), symbols, on: connection)
        try await FoldTables.authorizationRequest.insert(requests, symbols, on: connection)
        try await FoldTables.openSettings.insert(opens, symbols, on: connection)
        try await FoldTables.extensionRun.insert(runs, symbols, on: connection)
        try await FoldTables.removal.upsert(Array(removals), symbols, on: connection)
    }
}

/// A run of a service extension as a row.
struct ExtensionRunRow {
    let notification: NotificationID
    let at: Moment
    let id: UUIDValue
    let run: Event.ExtensionRun
}

/// The key of a row of `notification_removal`.
struct RemovalKey: Hashable {
    let notification: NotificationID
    /// The empty string if the event does not name it.
    let state: Symbol
    let reason: Symbol
}
