/// Events as tests write them.
extension ReportsDatabase {
    static let march: KeyValuePairs<String, String> = ["from": "2026-03-01", "to": "2026-03-20"]

    static func event(_ kind: String, _ device: String, _ nid: String?, _ at: String, _ data: [String: Any] = [:])
        -> [String: Any]
    {
        var event: [String: Any] = ["kind": kind, "device": device, "at": at, "data": data]
        event["nid"] = nid
        return event
    }

    static func settings(_ device: String, _ at: String, _ status: String, _ more: [String: Any] = [:])
        -> [String: Any]
    {
        event("settings", device, nil, at, more.merging(["authorization_status": status]) { $1 })
    }

    static func delivered(_ device: String, _ nid: String, _ at: String, _ category: String? = nil) -> [String: Any] {
        var data: [String: Any] = ["source": "will_present"]
        data["category_id"] = category
        return event("delivery", device, nid, at, data)
    }
}
