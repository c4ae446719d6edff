import Foundation

/// Identifies a push that has no mark.
///
/// Before iOS 10 nothing names it, and one tap causes up to three callbacks. Callbacks with equal payloads within a few
/// seconds are one notification. The first creates its id, and the others take it.
struct TapIdentity {
    /// Within this number of seconds, callbacks belong to one tap.
    static let window: TimeInterval = 10

    private var recent: [(fingerprint: UInt64, id: String, date: Date)] = []

    /// A notification with an id. A notification with a mark, or an unknown one with an identifier, is returned
    /// unchanged.
    mutating func identified(_ notification: Notilog.Delivered, at date: Date) -> Notilog.Delivered {
        var notification = notification
        guard notification.request.content.mark?.id == nil else { return notification }
        recent.removeAll { abs(date.timeIntervalSince($0.date)) > Self.window }
        let fingerprint = notification.request.content.fingerprint ?? 0
        var mark = notification.request.content.mark ?? Notilog.Mark(id: nil)
        if let known = recent.first(where: { $0.fingerprint == fingerprint }) {
            mark.id = known.id
        } else if notification.request.identifier.isEmpty {
            let id = UUID.version7(at: date).uuidString.lowercased()
            recent.append((fingerprint, id, date))
            mark.id = id
        } else {
            return notification
        }
        notification.request.content.mark = mark
        return notification
    }
}
