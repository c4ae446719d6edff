/// Something that the product wants happened.
package struct Conversion: Sendable {
    package var name = Symbol.empty
    package var value: Int64?
    package var currency = Symbol.none
    package var order = Symbol.none

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, _ symbols: inout Symbols) throws(FoldError) {
        var object = JSONObject(data)
        while let (key, value) = object.next() {
            if key.isWord("name") {
                name = value.text(in: &symbols.names).orEmpty
            } else if key.isWord("value") {
                self.value = try value.unlessNull?.integer()
            } else if key.isWord("currency") {
                currency = value.text(in: &symbols.names)
            } else if key.isWord("order_id") {
                order = value.text(in: &symbols.names)
            }
        }
    }
}

/// The app came to the foreground.
package struct AppOpen: Sendable {
    package var source = Symbol.none
    package var isCold: Bool?

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        source = data.member("source")?.text(in: &symbols.names) ?? .none
        isCold = data.member("cold")?.unlessNull.map { $0.isWord("true") }
    }
}

/// A device was chosen for a campaign and not sent it.
package struct Holdout: Sendable {
    package var campaign = Symbol.empty
    package var variant = Symbol.none
    package var category = Symbol.none
    package var scheduledFor = Moment.none
    /// A number as it stands.
    package var share = Symbol.none

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, occurredAt: Moment, at: Moment, _ symbols: inout Symbols)
        throws(FoldError)
    {
        var object = JSONObject(data)
        while let (key, value) = object.next() {
            if key.isWord("campaign_id") {
                campaign = value.text(in: &symbols.names).orEmpty
            } else if key.isWord("variant") {
                variant = value.text(in: &symbols.names)
            } else if key.isWord("category_id") {
                category = value.text(in: &symbols.names)
            } else if key.isWord("share") {
                share = value.text(in: &symbols.names)
            } else if key.isWord("scheduled_for"), !value.isWord("null") {
                scheduledFor = try Event.shifted(value.moment(), occurredAt, at)
            }
        }
    }
}

/// The app's own question before the system's.
package struct PermissionPrompt: Sendable {
    package var placement = Symbol.none
    package var variant = Symbol.none
    package var answer = Symbol.none

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        placement = data.member("placement")?.text(in: &symbols.names) ?? .none
        variant = data.member("variant")?.text(in: &symbols.names) ?? .none
        answer = data.member("answer")?.text(in: &symbols.names) ?? .none
    }
}

/// A state of a Live Activity, or a push to one.
package struct LiveActivity: Sendable {
    package var activity = Symbol.none
    package var attributesType = Symbol.none
    package var state = Symbol.none
    package var startedBy = Symbol.none
    package var updatesBy = Symbol.none
    package var channel = Symbol.none
    /// What a push does: `live_activity_event`.
    package var event = Symbol.none
    /// The event's own, a symbol of ``Symbols/values``.
    package var context = Symbol.none

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        var object = JSONObject(data)
        while let (key, value) = object.next() {
            if key.isWord("activity_id") {
                activity = value.text(in: &symbols.names)
            } else if key.isWord("attributes_type") {
                attributesType = value.text(in: &symbols.names)
            } else if key.isWord("state") {
                state = value.text(in: &symbols.names)
            } else if key.isWord("started_by") {
                startedBy = value.text(in: &symbols.names)
            } else if key.isWord("updates_by") {
                updatesBy = value.text(in: &symbols.names)
            } else if key.isWord("channel_id") {
                channel = value.text(in: &symbols.names)
            } else if key.isWord("live_activity_event") {
                event = value.text(in: &symbols.names)
            } else if key.isWord("context") {
                context = symbols.context(value)
            }
        }
    }
}
