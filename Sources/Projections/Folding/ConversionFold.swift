internal import Folds
internal import Postgres

/// Applies a range of the log to the group of `conversion`: events that are kept one by one.
struct ConversionFold: Fold {
    private let range: FoldRange
    private var symbols = Symbols()
    private var conversions: [(event: DeviceEvent, detail: Conversion)] = []
    private var opens: [(event: DeviceEvent, detail: AppOpen, notification: Symbol)] = []
    private var holdouts: [(event: DeviceEvent, detail: Holdout)] = []
    private var prompts: [(event: DeviceEvent, detail: PermissionPrompt)] = []
    private var activities: [(event: DeviceEvent, detail: LiveActivity)] = []
    private var pushes: [(event: DeviceEvent, notification: NotificationID, detail: LiveActivity)] = []

    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> ConversionFold {
        var fold = ConversionFold(range: range)
        try await range.read(from: "outcome_events", on: connection) { row in
            let event = FoldEvent(row, &fold.symbols)
            try event.withData { try fold.take(event, data: $0) }
        }
        return fold
    }

    private mutating func take(_ event: FoldEvent, data: UnsafeRawBufferPointer) throws {
        guard let device = DeviceEvent(event) else { return }
        switch event.kind {
        case .conversion: conversions.append((device, try Conversion(data, &symbols)))
        case .appOpen: opens.append((device, AppOpen(data, &symbols), event.notification))
        case .holdout:
            let holdout = try Holdout(data, occurredAt: event.occurredAt, at: event.at, &symbols)
            holdouts.append((device, holdout))
        case .permissionPrompt: prompts.append((device, PermissionPrompt(data, &symbols)))
        case .liveActivity: activities.append((device, LiveActivity(data, &symbols)))
        case .request:
            guard let notification = event.notificationID else { return }
            pushes.append((device, notification, LiveActivity(data, &symbols)))
        default: break
        }
    }

    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws {
        if range.isEmpty { try await FoldTables.insertNothingOfConversion(on: connection) }
        try await FoldTables.conversion.insert(conversions, symbols, on: connection)
        try await FoldTables.appOpen.insert(opens, symbols, on: connection)
        try await FoldTables.holdout.insert(holdouts, symbols, on: connection)
        try await FoldTables.permissionPrompt.insert(prompts, symbols, on: connection)
        try await FoldTables.liveActivity.insert(activities, symbols, on: connection)
        try await FoldTables.liveActivityPush.insert(pushes, symbols, on: connection)
    }
}
