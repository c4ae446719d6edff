import NotificationEvents

/// Where the parts of an item are on the tape: all in one object, or an envelope around it (CloudEvents).
struct ItemSource {
    /// The object with the event's own fields; 0 where there is none.
    var object = 0
    /// The value that names the kind.
    var kind: Int?
    /// How many bytes of it come before the kind's name.
    var kindPrefix = 0
    /// What the envelope says in the place of fields.
    var occurredAt: Int?
    var deviceID: Int?
    var id: EventID?
    var isCloudEvent = false
}
