/// What a push_result says: the answer of a push provider.
package struct PushAnswer: Sendable {
    /// Each as `->>` gives it.
    package var provider = Symbol.none
    package var status = Symbol.none
    package var reason = Symbol.none
    package var type = Symbol.none
    package var environment = Symbol.none
    package var topic = Symbol.none
    package var activity = Symbol.none
    package var attributesType = Symbol.none
    package var controlKind = Symbol.none
    private var timestamp = Symbol.none
    package var verdict: PushVerdict?

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        var fields:
            (provider: UnsafeRawBufferPointer?, status: UnsafeRawBufferPointer?, reason: UnsafeRawBufferPointer?)
        var attributes: UnsafeRawBufferPointer?
        var object = JSONObject(data)
        while let (key, member) = object.next() {
            guard let value = member.unlessNull else { continue }
            switch key.count {
            case 4:
                if key.isWord("type") {
                    let isOlderName = value.isString("live_activity")
                    type = isOlderName ? symbols.activityUpdate : value.text(in: &symbols.names)
                }
            case 5: if key.isWord("topic") { topic = value.text(in: &symbols.names) }
            case 6:
                if key.isWord("status") {
                    fields.status = value
                    status = value.text(in: &symbols.names)
                } else if key.isWord("reason") {
                    fields.reason = value
                    reason = value.text(in: &symbols.names)
                }
            case 8:
                if key.isWord("provider") {
                    fields.provider = value
                    provider = value.text(in: &symbols.names)
                }
            case 9: if key.isWord("timestamp") { timestamp = value.text(in: &symbols.names) }
            case 10:
                if key.isWord("attributes") { attributes = value }
            case 11:
                if key.isWord("environment") {
                    environment = value.text(in: &symbols.names)
                } else if key.isWord("activity_id") {
                    activity = value.text(in: &symbols.names)
                }
            case 12: if key.isWord("control_kind") { controlKind = value.text(in: &symbols.names) }
            case 15: if key.isWord("attributes_type") { attributesType = value.text(in: &symbols.names) }
            default: break
            }
        }
        verdict = PushVerdict(provider: fields.provider, status: fields.status, reason: fields.reason)
        if verdict == nil, let attributes, fields.provider?.isString("fcm") == true {
            verdict = PushVerdict(behindFCM: attributes)
        }
    }

    /// The status as a number; 0 where it is not fields.
    ///
    /// - Throws: ``FoldError/value``.
    package func statusCode(_ symbols: borrowing Symbols) throws(FoldError) -> Int16 {
        try symbols.names.integer(status) ?? 0
    }

    /// When APNs last knew the token to be dead; none where it is not fields.
    ///
    /// - Throws: ``FoldError/value``.
    package func deadAt(_ symbols: borrowing Symbols) throws(FoldError) -> Moment {
        guard let milliseconds: Int64 = try symbols.names.integer(timestamp) else { return .none }
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        let (moment, overflows) = microseconds.subtractingReportingOverflow(946_684_800_000_000)
        if overflow || overflows { throw .value }
        return moment
    }
}

extension SymbolTable {
    /// The number that a string is; nil for no string.
    fileprivate func integer<Value: FixedWidthInteger>(_ symbol: Symbol) throws(FoldError) -> Value? {
        if symbol == .none { return nil }
        guard let number = Value(string(symbol)) else { throw .value }
        return number
    }
}
