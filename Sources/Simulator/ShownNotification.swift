/// A notification that lies on a device, and what the app knows of it.
struct ShownNotification {
    /// Tells the notifications of one device apart, for what is still to happen to them.
    let serial: UInt32
    let category: Category
    let trigger: String
    /// Minted by the sender; nil where the request's identifier serves.
    let identifier: Identifier?
    let requestIdentifier: String?
    var campaign: Campaign?
    var thread: UInt64?
    /// Of news.
    var section: Section?
    /// True time of delivery: microseconds since 1970 UTC.
    let deliveredAt: Int64
    /// Whether it is a firing of a repeating request, whose `occurrence` is the time of delivery.
    var isOccurrence = false
    /// Whether a sweep of the delivered list has reported it.
    var isSwept = false
}
