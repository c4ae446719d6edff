internal import Hashing
public import NotificationEvents

/// The lane that an event is of among cells, from 0 to 7. A cell has whole lanes.
///
/// The database computes the same (`log.event_lane`): a cell refuses events of other lanes.
public enum EventLane {
    /// The number of lanes.
    public static let count = 8

    /// The lane of an event: that of its device; without one that of its token, else of its id.
    public static func of(_ event: NormalisedEvent) -> Int {
        if !event.deviceID.isEmpty { return of(device: event.deviceID) }
        if let first = event.token?.first { return Int(first) & 7 }
        return Int(event.id.low & 7)
    }

    /// The lane of a device, by its id as the log has it.
    public static func of(device id: String) -> Int {
        // A surrogate says which lane the device was of. Other ids may begin like one, as log.lane takes them too.
        if id.utf8.starts(with: "erased-".utf8) {
            let digits = Array("0123456789abcdef".utf8)
            return id.utf8.last.flatMap { digits.firstIndex(of: $0) }.map { $0 & 7 } ?? 7
        }
        var id = id
        return id.withUTF8 { Int(MD5.firstByte(of: UnsafeRawBufferPointer($0)) >> 4) & 7 }
    }
}
