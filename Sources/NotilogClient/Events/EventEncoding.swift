import Foundation
import NotificationEvents

/// An event as the bytes that are queued and sent.
struct EncodedEvent {
    var id: UUID
    var json: Data
    /// Fields that were left out because the service would have rejected them.
    var omitted: [String]

    /// The largest event that the service accepts by default, 32 KiB.
    static let maxBytes = 32 << 10

    init(
        _ event: Notilog.Event,
        deviceID: String,
        context: Notilog.Context,
        now: Date
    ) throws(Notilog.Receipt.Reason) {
        guard let kind = EventKind.named(event.kind) else { throw .invalid("there is no kind \(event.kind)") }
        var fields = event.fields
        fields["device_id"] = .string(deviceID)
        if fields["context"] == nil { fields["context"] = context.value }
        let check = EventCheck(kind)
        var checked = try check.fields(fields)
        let id = event.id ?? .version7(at: now)
        func encoded() -> String {
            var json = #"{"kind":"\#(event.kind)","id":"\#(id.uuidString.lowercased())","occurred_at":""#
            json += event.occurredAt.rfc3339(in: context.zone) + "\","
            Notilog.Value.write(checked.fields, to: &json)
            return json + "}"
        }
        var json = encoded()
        // That the person replied is worth more than the words.
        if json.utf8.count > Self.maxBytes, let name = check.leaveOutReplyText(&checked.fields) {
            checked.omitted = (checked.omitted + [name]).sorted()
            json = encoded()
        }
        guard json.utf8.count <= Self.maxBytes else { throw .tooLarge(bytes: json.utf8.count) }
        self.id = id
        self.json = Data(json.utf8)
        omitted = checked.omitted
    }
}
