/// What the members of an event's data say, by the kind of the event. Keys are told apart by their lengths first.
extension Event {
    typealias Bytes = UnsafeRawBufferPointer

    /// What members say whose meaning depends on others.
    struct Pending {
        var pushType: Bytes?
        var surface: Bytes?
        var options: Bytes?
        var isReplaced = false
        var isGone = false
    }

    /// A member that events of several kinds have, of those about a notification.
    mutating func readShared(
        _ key: Bytes,
        _ value: Bytes,
        _ occurredAt: Moment,
        _ dimensions: [OwnDimension],
        _ position: Int64,
        _ symbols: inout Symbols
    ) throws(FoldError) {
        switch key.count {
        case 7:
            if key.isWord("trigger") { read(trigger: value, &symbols) }
            if key.isWord("variant") { variant = value.text(in: &symbols.names) }
        case 9:
            if key.isWord("thread_id") { thread = value.text(in: &symbols.names) }
        case 10:
            guard !dimensions.isEmpty, key.isWord("attributes") else { return }
            own = OwnDimension.values(value, dimensions, at: position, &symbols)
        case 11:
            if key.isWord("category_id") { category = value.text(in: &symbols.names) }
            if key.isWord("campaign_id") { campaign = value.text(in: &symbols.names) }
        case 12:
            guard kind != .request, key.isWord("delivered_at"), !value.isWord("null") else { return }
            deliveredAt = try Self.shifted(value.moment(), occurredAt, at)
        case 18:
            if key.isWord("interruption_level") { interruptionLevel = value.text(in: &symbols.names) }
        default: break
        }
    }

    mutating func readRequest(
        _ key: Bytes,
        _ value: Bytes,
        _ occurredAt: Moment,
        _ pending: inout Pending,
        _ symbols: inout Symbols
    ) throws(FoldError) {
        switch key.count {
        case 4:
            guard key.isWord("push") else { return }
            flags.insert(.hasPush)
            if let type = value.member("push_type") { pending.pushType = type }
        case 5:
            if key.isWord("error") { flags.insert(.hasError) }
        case 6:
            if key.isWord("origin"), value.isString("provider") { flags.insert(.fromProvider) }
        case 8:
            if key.isWord("alerting") { alerting = value.text(in: &symbols.names) }
        case 13:
            guard key.isWord("scheduled_for"), !value.isWord("null") else { return }
            scheduledFor = try Self.shifted(value.moment(), occurredAt, at)
        case 15:
            if key.isWord("mutable_content"), value.isWord("true") { flags.insert(.mutableContent) }
        default: break
        }
    }

    mutating func readDelivery(_ key: Bytes, _ value: Bytes, _ symbols: inout Symbols) throws(FoldError) {
        switch key.count {
        case 6:
            if key.isWord("source") { read(source: value) }
        case 8:
            if key.isWord("alerting") { alerting = value.text(in: &symbols.names) }
        case 9:
            guard key.isWord("extension") else { return }
            extensionRun = try ExtensionRun(value, &symbols)
            if extensionRun?.outcome == symbols.filtered { flags.insert(.filtered) }
        default: break
        }
    }

    mutating func readPresentation(_ key: Bytes, _ value: Bytes, _ pending: inout Pending) {
        if key.isWord("surface") {
            pending.surface = value
        } else if key.isWord("options") {
            pending.options = value
        }
    }

    mutating func readResponse(_ key: Bytes, _ value: Bytes, _ symbols: inout Symbols) {
        switch key.count {
        case 8:
            if key.isWord("delegate"), value.isString("content_extension") { flags.insert(.inExtension) }
        case 9:
            if key.isWord("action_id") { action = value.text(in: &symbols.names) }
        case 11:
            if key.isWord("text_length") { flags.insert(.hasText) }
        default: break
        }
    }

    mutating func readRemoval(
        _ key: Bytes,
        _ value: Bytes,
        _ pending: inout Pending,
        _ symbols: inout Symbols
    ) {
        if key.isWord("state") {
            removal?.state = value.isString("pending") ? .pending : value.isString("delivered") ? .delivered : .unstated
        } else if key.isWord("reason") {
            removal?.reason = value.text(in: &symbols.names).orEmpty
            pending.isReplaced = value.isString("replaced")
            pending.isGone = value.isString("gone")
        }
    }

    mutating func readPushResult(_ key: Bytes, _ value: Bytes) {
        if key.isWord("status"), value.isWord("200") || value.isString("200") { flags.insert(.accepted) }
    }

    mutating func readRegistration(_ key: Bytes, _ value: Bytes, _ symbols: inout Symbols) {
        if key.isWord("categories") { categories = symbols.lists.symbol(of: value) }
    }

    /// What all members together say, once each is read.
    mutating func conclude(_ pending: Pending, _ data: Bytes, _ symbols: inout Symbols) {
        switch kind {
        case .request:
            if let type = pending.pushType, !type.isWord("null"), !type.isString("alert") {
                alerting = symbols.no
                if type.isString("liveactivity") { flags.insert(.toActivity) }
            } else if alerting == Symbol.none {
                alerting = symbols.yes
            }
            if trigger == Symbol.none, flags.contains(.hasPush) { trigger = symbols.push }
        case .delivery:
            // A service extension has a run, even where it says nothing of it.
            extensionRun = flags.contains(.serviceExtension) ? extensionRun ?? ExtensionRun() : nil
        case .presentation:
            read(surface: pending.surface, options: pending.options)
        case .removal where !pending.isReplaced:
            if removal?.state == .pending { flags.insert(.withdraws) }
            if removal?.state == .delivered { removal?.ending = pending.isGone ? .gone : .removed }
        case .settings:
            settings = symbols.settings(data)
        default: break
        }
    }

    private mutating func read(source: Bytes) {
        if source.isString("service_extension") {
            flags.insert(.serviceExtension)
        } else if source.isString("delivered_list") {
            flags.insert(.deliveredList)
        } else if source.isString("background_wake") {
            flags.insert(.backgroundWake)
        }
    }

    private mutating func read(trigger value: Bytes, _ symbols: inout Symbols) {
        var object = JSONObject(value)
        while let (key, value) = object.next() {
            if key.isWord("type") {
                trigger = value.text(in: &symbols.names)
                if value.isString("push") { flags.insert(.triggerIsPush) }
                if value.isString("calendar") || value.isString("location") { flags.insert(.atLarge) }
            } else if key.isWord("repeats"), value.isWord("true") {
                flags.insert(.repeats)
            }
        }
    }

    private mutating func read(surface: Bytes?, options: Bytes?) {
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
}
