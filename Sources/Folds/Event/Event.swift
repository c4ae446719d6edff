/// What an event says, as the folds need it.
package struct Event: Sendable {
    package enum Kind: UInt8, Sendable {
        case request, delivery, presentation, response, dismissal, removal, pushResult, settings, registration, token
        case authorizationRequest, openSettings, appOpen, conversion, holdout, permissionPrompt, liveActivity, erasure
        case other

        package init(_ name: UnsafeRawBufferPointer) {
            self =
                if name.isWord("request") { .request } else if name.isWord("push_result") {
                    .pushResult
                } else if name.isWord("delivery") { .delivery } else if name.isWord("presentation") {
                    .presentation
                } else if name.isWord("action_response") { .response } else if name.isWord("dismissal") {
                    .dismissal
                } else if name.isWord("removal") { .removal } else if name.isWord("settings") {
                    .settings
                } else if name.isWord("category_registration") { .registration } else if name.isWord("token") {
                    .token
                } else if name.isWord("authorization_request") {
                    .authorizationRequest
                } else if name.isWord("open_settings") {
                    .openSettings
                } else if name.isWord("app_open") { .appOpen } else if name.isWord("conversion") {
                    .conversion
                } else if name.isWord("holdout") { .holdout } else if name.isWord("permission_prompt") {
                    .permissionPrompt
                } else if name.isWord("live_activity") { .liveActivity } else if name.isWord("erasure") {
                    .erasure
                } else { .other }
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
                .holdout,
                .permissionPrompt, .liveActivity, .erasure, .other:
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
        package init(_ value: UnsafeRawBufferPointer, _ vocabulary: inout Vocabulary) throws(FoldError) {
            var object = JSONObject(value)
            while let (key, value) = object.next() {
                if value.isWord("null") { continue }
                if key.isWord("outcome") {
                    outcome = value.text(in: &vocabulary.names)
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
    package var id: EventID
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
    /// The list of categories that it registers: a symbol of ``Vocabulary/lists``.
    package var categories = Symbol.none
    package var removal: Removal?
    package var extensionRun: ExtensionRun?

    /// - Parameters:
    ///   - data: the event's `data`, as jsonb writes it.
    ///   - dimensions: the app's own.
    ///   - position: the event's, by which it is told whether it is counted by them.
    package init(
        kind: Kind,
        id: EventID,
        at: Moment,
        occurredAt: Moment,
        receivedAt: Moment,
        occurrence: Moment?,
        data: UnsafeRawBufferPointer,
        dimensions: [OwnDimension] = [],
        position: Int64 = 0,
        vocabulary: inout Vocabulary
    ) throws(FoldError) {
        self.kind = kind
        self.id = id
        self.at = at
        self.receivedAt = receivedAt
        self.occurrence = occurrence ?? .noOccurrence
        let stage = kind.stage
        var surface: UnsafeRawBufferPointer?
        var options: UnsafeRawBufferPointer?
        var (isReplaced, isGone) = (false, false)
        if kind == .removal { removal = Removal() }
        var pushType: UnsafeRawBufferPointer?
        var object = JSONObject(data)
        while let (key, value) = object.next() {
            switch key.count {
            case 4:
                if stage == 0, key.isWord("push") {
                    flags.insert(.hasPush)
                    var push = JSONObject(value)
                    while let (key, value) = push.next() {
                        if key.isWord("push_type") { pushType = value }
                    }
                }
            case 5:
                if stage == 0, key.isWord("error") {
                    flags.insert(.hasError)
                } else if kind == .removal, key.isWord("state") {
                    removal?.state =
                        value.isString("pending") ? .pending : value.isString("delivered") ? .delivered : .unstated
                }
            case 6:
                if stage == 0, key.isWord("origin") {
                    if value.isString("provider") { flags.insert(.fromProvider) }
                } else if kind == .delivery, key.isWord("source") {
                    read(source: value)
                } else if kind == .pushResult, key.isWord("status") {
                    if value.isWord("200") || value.isString("200") { flags.insert(.accepted) }
                } else if kind == .removal, key.isWord("reason") {
                    removal?.reason = value.text(in: &vocabulary.names).orEmpty
                    isReplaced = value.isString("replaced")
                    isGone = value.isString("gone")
                }
            case 7:
                if key.isWord("context") {
                    context = vocabulary.context(value)
                } else if stage != nil, key.isWord("trigger") {
                    read(trigger: value, &vocabulary)
                } else if stage != nil, key.isWord("variant") {
                    variant = value.text(in: &vocabulary.names)
                } else if kind == .presentation, key.isWord("surface") {
                    surface = value
                } else if kind == .presentation, key.isWord("options") {
                    options = value
                }
            case 8:
                if kind == .request || kind == .delivery, key.isWord("alerting") {
                    alerting = value.text(in: &vocabulary.names)
                } else if kind == .response, key.isWord("delegate"), value.isString("content_extension") {
                    flags.insert(.inExtension)
                }
            case 9:
                if kind == .response, key.isWord("action_id") {
                    action = value.text(in: &vocabulary.names)
                } else if stage != nil, key.isWord("thread_id") {
                    thread = value.text(in: &vocabulary.names)
                } else if kind == .delivery, key.isWord("extension") {
                    extensionRun = try ExtensionRun(value, &vocabulary)
                    if extensionRun?.outcome == vocabulary.filtered { flags.insert(.filtered) }
                }
            case 10:
                if kind == .registration, key.isWord("categories") {
                    categories = vocabulary.lists.symbol(of: value)
                } else if stage != nil, !dimensions.isEmpty, key.isWord("attributes") {
                    own = OwnDimension.values(value, dimensions, at: position, &vocabulary)
                }
            case 11:
                if stage != nil, key.isWord("category_id") {
                    category = value.text(in: &vocabulary.names)
                } else if stage != nil, key.isWord("campaign_id") {
                    campaign = value.text(in: &vocabulary.names)
                } else if kind == .response, key.isWord("text_length") {
                    flags.insert(.hasText)
                }
            case 12:
                if let stage, stage > 0, key.isWord("delivered_at"), !value.isWord("null") {
                    deliveredAt = try Self.shifted(value.moment(), occurredAt, at)
                }
            case 13:
                if stage == 0, key.isWord("scheduled_for"), !value.isWord("null") {
                    scheduledFor = try Self.shifted(value.moment(), occurredAt, at)
                }
            case 15:
                if stage == 0, key.isWord("mutable_content"), value.isWord("true") { flags.insert(.mutableContent) }
            case 18:
                if stage != nil, key.isWord("interruption_level") {
                    interruptionLevel = value.text(in: &vocabulary.names)
                }
            default: break
            }
        }
        if kind == .settings { settings = vocabulary.settings(data) }
        if stage == 0 {
            if let pushType, !pushType.isWord("null"), !pushType.isString("alert") {
                alerting = vocabulary.no
            } else if alerting == Symbol.none {
                alerting = vocabulary.yes
            }
            if trigger == Symbol.none, flags.contains(.hasPush) { trigger = vocabulary.push }
        }
        if removal?.state == .pending, !isReplaced { flags.insert(.withdraws) }
        if removal?.state == .delivered, !isReplaced { removal?.ending = isGone ? .gone : .removed }
        if flags.contains(.serviceExtension), extensionRun == nil { extensionRun = ExtensionRun() }
        if !flags.contains(.serviceExtension) { extensionRun = nil }
        if kind == .presentation { read(surface: surface, options: options) }
    }

    private mutating func read(source: UnsafeRawBufferPointer) {
        if source.isString("service_extension") {
            flags.insert(.serviceExtension)
        } else if source.isString("delivered_list") {
            flags.insert(.deliveredList)
        } else if source.isString("background_wake") {
            flags.insert(.backgroundWake)
        }
    }

    private mutating func read(trigger value: UnsafeRawBufferPointer, _ vocabulary: inout Vocabulary) {
        var object = JSONObject(value)
        while let (key, value) = object.next() {
            if key.isWord("type") {
                trigger = value.text(in: &vocabulary.names)
                if value.isString("push") { flags.insert(.triggerIsPush) }
                if value.isString("calendar") || value.isString("location") { flags.insert(.atLarge) }
            } else if key.isWord("repeats"), value.isWord("true") {
                flags.insert(.repeats)
            }
        }
    }

    private mutating func read(surface: UnsafeRawBufferPointer?, options: UnsafeRawBufferPointer?) {
        var shows: Bool?
        var sounds = false
        if let options {
            shows = false
            var list = JSONObject(options)
            while let option = list.nextElement() {
                if option.isString("alert") || option.isString("list") || option.isString("banner") { shows = true }
                if option.isString("badge") || option.isString("sound") { sounds = true }
            }
        }
        if let surface, !surface.isString("foreground") { shows = true }
        switch shows {
        case nil: presented = .unsaid
        case true?: presented = .shown
        case false?: presented = sounds ? .hiddenWithSound : .hidden
        }
    }

    /// A time of the clock of `occurred_at`, shifted by as much as that was; never before year 1, nor by over 4,000 years.
    static func shifted(_ said: Moment, _ occurredAt: Moment, _ at: Moment) throws(FoldError) -> Moment {
        if at == occurredAt { return said }
        let (shift, overflow) = at.subtractingReportingOverflow(occurredAt)
        let (moment, overflows) = said.addingReportingOverflow(max(shift, -4000 * 31_557_600_000_000))
        guard !overflow, !overflows else { throw .value }
        return max(moment, -63_082_281_600_000_000)
    }
}
