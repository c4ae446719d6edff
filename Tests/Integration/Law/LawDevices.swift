/// What each device said of itself, and when.
struct LawDevices {
    /// One thing said at one time.
    struct Snapshot {
        let event: LawEvent
        let value: LawValue
        var at: Int64 { event.at }
    }

    /// A stretch of snapshots that say the same.
    struct Period {
        let device: String
        let series: String
        var snapshots: [Snapshot]
        var value: LawValue { snapshots[0].value }
        var first: LawEvent { snapshots[0].event }
        var last: LawEvent { snapshots[snapshots.count - 1].event }
    }

    /// Snapshots by device, in the tie order.
    private(set) var contexts: [String: [Snapshot]] = [:]
    private(set) var settings: [String: [Snapshot]] = [:]
    /// Devices that ever sent a delivery from a service extension.
    private(set) var withExtension: Set<String> = []

    /// - Parameter events: in the tie order.
    init(_ events: [LawEvent]) {
        for event in events where !event.device.isEmpty {
            // An empty context says nothing.
            if case .object(var context)? = event["context"], !context.isEmpty {
                context["device_model"] = nil
                context["sdk_version"] = nil
                contexts[event.device, default: []].append(Snapshot(event: event, value: .object(context)))
            }
            if event.kind == "settings" {
                let said = event.fields.filter { $0.key != "context" && $0.key != "attributes" }
                settings[event.device, default: []].append(Snapshot(event: event, value: .object(said)))
            }
            if event.kind == "delivery", event["source"] == "service_extension" { withExtension.insert(event.device) }
        }
    }

    /// The device's latest context at or before a time, else its earliest; taken whole.
    func context(of device: String, at time: Int64) -> LawValue? {
        let known = contexts[device] ?? []
        return (known.last { $0.at <= time } ?? known.first)?.value
    }

    /// The device's newest settings at or before a time.
    func settings(of device: String, at time: Int64) -> LawValue? {
        settings[device]?.last { $0.at <= time }?.value
    }

    /// Whether the newest settings at or before a time say that notifications are denied.
    func denied(_ device: String, at time: Int64) -> Bool {
        settings(of: device, at: time)?["authorization_status"] == "denied"
    }

    /// Every period of a series, in order by device.
    static func periods(_ series: String, _ snapshots: [String: [Snapshot]]) -> [[Period]] {
        snapshots.sorted { $0.key < $1.key }.map { device, snapshots in
            snapshots.reduce(into: []) { periods, snapshot in
                if periods.last?.value == snapshot.value {
                    periods[periods.count - 1].snapshots.append(snapshot)
                } else {
                    periods.append(Period(device: device, series: series, snapshots: [snapshot]))
                }
            }
        }
    }
}
