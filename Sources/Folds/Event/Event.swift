/// What an event says, as the folds need it.
package struct Event: Sendable {
    package enum Kind: UInt8, Sendable {
        case request, delivery, presentation, response, dismissal, removal, pushResult, settings, registration, token
        case authorizationRequest, openSettings, appOpen, conversion, holdout, permissionPrompt, liveActivity, erasure
        case other

        package init(_ name: UnsafeRawBufferPointer) {
            self =
                switch true {
                case name.isWord("request"): .request
                case name.isWord("push_result"): .pushResult
                case name.isWord("delivery"): .delivery
                case name.isWord("presentation"): .presentation
                case name.isWord("action_response"): .response
                case name.isWord("dismissal"): .dismissal
                case name.isWord("removal"): .removal
                case name.isWord("settings"): .settings
                case name.isWord("category_registration"): .registration
                case name.isWord("token"): .token
                case name.isWord("authorization_request"): .authorizationRequest
                case name.isWord("open_settings"): .openSettings
                case name.isWord("app_open"): .appOpen
                case name.isWord("conversion"): .conversion
                case name.isWord("holdout"): .holdout
                case name.isWord("permission_prompt"): .permissionPrompt
                case name.isWord("live_activity"): .liveActivity
                case name.isWord("erasure"): .erasure
                default: .other
                }
        }

        /// The number of its stage; nil where it is about no notification.
        package var stage: UInt8? {
            switch self {
            case .request: 0
            case .delivery: 1
            case .presentation: 2
            case .response: 3
            case .dismissal: 4
            case .removal, .pushResult: 5
            case .settings, .registration, .token, .authorizationRequest, .openSettings, .appOpen, .conversion,
                .holdout, .permissionPrompt, .liveActivity, .erasure, .other:
                nil
            }
        }
    }

    /// What it says of the presentation.
    package enum Presented: UInt8, Sendable { case unsaid, shown, hidden, hiddenWithSound }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        static let hasError = Flags(rawValue: 1)
        static let hasPush = Flags(rawValue: 2)
        static let fromProvider = Flags(rawValue: 4)
        static let triggerIsPush = Flags(rawValue: 8)
        static let atLarge = Flags(rawValue: 16)
        static let mutableContent = Flags(rawValue: 32)
        package static let serviceExtension = Flags(rawValue: 64)
        static let deliveredList = Flags(rawValue: 128)
        static let backgroundWake = Flags(rawValue: 256)
        static let filtered = Flags(rawValue: 512)
        static let accepted = Flags(rawValue: 1024)
        static let withdraws = Flags(rawValue: 2048)
        static let repeats = Flags(rawValue: 4096)
        static let inExtension = Flags(rawValue: 8192)
        static let hasText = Flags(rawValue: 16384)
        static let toActivity = Flags(rawValue: 32768)
    }

    /// What a removal says: of a pending or of a delivered notification, or of neither, and why.
    package struct Removal: Sendable {
        package enum State: Sendable { case unstated, pending, delivered }
        /// How a delivered notification left the list: the app took it away, or a sweep no longer found it.
        package enum Ending: Sendable { case removed, gone }
        package var state = State.unstated
        /// Nil where it was not delivered, or was replaced.
        package var ending: Ending?
        /// The empty string where it says none.
        package var reason = Symbol.empty
    }

    /// A run of a service extension.
    package struct ExtensionRun: Sendable {
        package var outcome = Symbol.none
        package var durationMilliseconds: Int32?
        package var attachmentsLoaded: Int32?
        package var attachmentsFailed: Int32?

        package init() {}

        /// - Parameter value: the member `extension` of a delivery.
        package init(_ value: UnsafeRawBufferPointer, _ symbols: inout Symbols) throws(FoldError) {
            var object = JSONObject(value)
            while let (key, value) = object.next() {
                if value.isWord("null") { continue }
                if key.isWord("outcome") {
                    outcome = value.text(in: &symbols.names)
                } else if key.isWord("duration_ms") {
                    durationMilliseconds = try value.integer()
                } else if key.isWord("attachments_loaded") {
                    attachmentsLoaded = try value.integer()
                } else if key.isWord("attachments_failed") {
                    attachmentsFailed = try value.integer()
                }
            }
        }
    }

    /// A request that repeats is a schedule.
    package var repeats: Bool { flags.contains(.repeats) }

    package var kind: Kind
    package var id: UUIDValue
    package var at: Moment
    package var receivedAt: Moment
    package var occurrence: Moment
    package var flags: Flags = []
    package var presented = Presented.unsaid
    package var deliveredAt = Moment.none
    package var scheduledFor = Moment.none
    package var alerting = Symbol.none
    package var category = Symbol.none
    package var trigger = Symbol.none
    package var interruptionLevel = Symbol.none
    package var campaign = Symbol.none
    package var variant = Symbol.none
    package var thread = Symbol.none
    package var action = Symbol.none
    /// By the app's own dimensions.
    package var own: [(key: Symbol, value: Symbol)] = []
    /// The device's context and settings, by their numbers among the values.
    package var context = Symbol.none
    package var settings = Symbol.none
    /// The list of categories that it registers: a symbol of ``Symbols/lists``.
    package var categories = Symbol.none
    package var removal: Removal?
    package var extensionRun: ExtensionRun?

    /// - Parameters:
    ///   - data: the event's `data`, as JSON text.
    ///   - dimensions: the app's own.
    ///   - position: the event's, by which it is told whether it is counted by them.
    package init(
        kind: Kind,
        id: UUIDValue,
        at: Moment,
        occurredAt: Moment,
        receivedAt: Moment,
        occurrence: Moment?,
        data: UnsafeRawBufferPointer,
        dimensions: [OwnDimension] = [],
        position: Int64 = 0,
        symbols: inout Symbols
    ) throws(FoldError) {
        self.kind = kind
        self.id = id
        self.at = at
        self.receivedAt = receivedAt
        self.occurrence = occurrence ?? .noOccurrence
        if kind == .removal { removal = Removal() }
        let isOfNotification = kind.stage != nil
        var pending = Pending()
        var object = JSONObject(data)
        while let (key, value) = object.next() {
            if key.isWord("context") { context = symbols.context(value) }
            if isOfNotification { try readShared(key, value, occurredAt, dimensions, position, &symbols) }
            switch kind {
            case .request: try readRequest(key, value, occurredAt, &pending, &symbols)
            case .delivery: try readDelivery(key, value, &symbols)
            case .presentation: readPresentation(key, value, &pending)
            case .response: readResponse(key, value, &symbols)
            case .removal: readRemoval(key, value, &pending, &symbols)
            case .pushResult: readPushResult(key, value)
            case .registration: readRegistration(key, value, &symbols)
            case .dismissal, .settings, .token, .authorizationRequest, .openSettings, .appOpen, .conversion, .holdout,
                .permissionPrompt, .liveActivity, .erasure, .other:
                break
            }
        }
        conclude(pending, data, &symbols)
    }

    /// A time of the clock of `occurred_at`, shifted by as much as that was; never before year 1, nor by over 4,000 years.
    static func shifted(_ time: Moment, _ occurredAt: Moment, _ at: Moment) throws(FoldError) -> Moment {
        if at == occurredAt { return time }
        let (shift, overflow) = at.subtractingReportingOverflow(occurredAt)
        let (moment, overflows) = time.addingReportingOverflow(max(shift, -4000 * 31_557_600_000_000))
        guard !overflow, !overflows else { throw .value }
        return max(moment, -63_082_281_600_000_000)
    }
}
