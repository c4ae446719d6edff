import Foundation

/// Events of many kinds, each made of its id alone, so that a repeat is always the same event.
struct FaultEvents: Sendable {
    let start: String

    init() {
        start = String(Sample.time(3600).dropLast(1))
    }

    private static let kinds = 7

    func event(_ id: UUID) -> String {
        let bytes = withUnsafeBytes(of: id.uuid) { Array($0) }
        let device = "device-\(bytes[8] % 40)"
        let notification = "n-\(bytes[9] % 120)"
        // Milliseconds apart, so that the order of time is not that of arrival.
        let at = "\(start).\(String(format: "%03d", (Int(bytes[10]) << 8 | Int(bytes[11])) % 1000))Z"
        let head = #""id":"\#(id.uuidString.lowercased())","device_id":"\#(device)","occurred_at":"\#(at)""#
        let about = #""notification_id":"\#(notification)","category_id":"category-\#(bytes[12] % 3)""#
        switch Int(bytes[13]) % Self.kinds {
        case 0: return #"{"kind":"delivery",\#(head),\#(about),"source":"will_present"}"#
        case 1: return #"{"kind":"presentation",\#(head),\#(about),"surface":"foreground","options":["banner"]}"#
        case 2: return #"{"kind":"dismissal",\#(head),\#(about)}"#
        case 3:
            let status = ["authorized", "denied", "provisional"][Int(bytes[14]) % 3]
            return #"{"kind":"settings",\#(head),"authorization_status":"\#(status)"}"#
        default:
            let action = ["default", "like", "mute"][Int(bytes[14]) % 3]
            return #"{"kind":"action_response",\#(head),\#(about),"action_id":"\#(action)"}"#
        }
    }

    func body(_ ids: [UUID]) -> [UInt8] {
        Array("[\(ids.map(event).joined(separator: ","))]".utf8)
    }
}
