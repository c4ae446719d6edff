/// How a notification ended otherwise than by a person's hand: refused, or taken away.
package struct NotificationEnding: Sendable {
    /// The last claim of a provider's refusal: a stage (0), the event's time and id, then `dead_token` or `rejected: ` with the
    /// reason, in one symbol. Claims are compared by their bytes.
    package private(set) var rejection = Symbol.none
    /// The last claim of why the system refused a request.
    package private(set) var error = Symbol.none
    /// The earliest removal by the app of the delivered notification.
    package private(set) var removedAt = Moment.none
    /// The earliest sweep of the delivered list that missed it.
    package private(set) var goneAt = Moment.none

    package init() {}

    /// Takes in an event of the notification.
    ///
    /// - Parameters:
    ///   - data: the event's `data`, as JSON text.
    /// - Returns: whether the event says how it ended.
    package mutating func merge(
        _ kind: Event.Kind,
        at: Moment,
        id: UUIDValue,
        data: UnsafeRawBufferPointer,
        _ symbols: inout Symbols
    ) -> Bool {
        switch kind {
        case .pushResult:
            let answer = PushAnswer(data, &symbols)
            if symbols.names.string(answer.status) == "200" { return false }
            rejection = symbols.later(rejection, Self.refusal(answer, symbols), at: at, id: id)
        case .request:
            guard let field = data.member("error"), !data.isSchedule else { return false }
            let reason = field.text(in: &symbols.names)
            if reason != .none { error = symbols.later(error, symbols.names.string(reason), at: at, id: id) }
        case .removal:
            let reason = data.member("reason")
            guard data.member("state")?.isString("delivered") == true, reason?.isString("replaced") != true else {
                return false
            }
            if reason?.isString("gone") == true {
                goneAt = min(goneAt, at)
            } else {
                removedAt = min(removedAt, at)
            }
        default: return false
        }
        return true
    }

    private static func refusal(_ answer: PushAnswer, _ symbols: borrowing Symbols) -> String {
        if case .dead = answer.verdict { return "dead_token" }
        let detail = answer.reason != .none ? answer.reason : answer.status
        return "rejected: " + (detail == .none ? "unknown" : symbols.names.string(detail))
    }
}

extension Symbols {
    /// The later of a claim and of the text of an event.
    fileprivate mutating func later(_ claim: Symbol, _ text: String, at: Moment, id: UUIDValue) -> Symbol {
        var bytes: [UInt8] = [0]
        withUnsafeBytes(of: at.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: id.high.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: id.low.bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: text.utf8)
        let other = bytes.withUnsafeBytes { names.symbol(of: $0) }
        return claim == .none || names.isBefore(claim, other) ? other : claim
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a request's data say that it repeats.
    fileprivate var isSchedule: Bool { member("trigger")?.member("repeats")?.isWord("true") == true }
}
