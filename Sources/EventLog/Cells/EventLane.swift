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
        // A surrogate says which lane the device was of.
        if id.hasPrefix("erased-") { return id.utf8.last.flatMap(hexadecimal).map { $0 & 7 } ?? 0 }
        var id = id
        return id.withUTF8 { Int(MD5.firstByte(of: UnsafeRawBufferPointer($0)) >> 4) & 7 }
    }

    private static func hexadecimal(_ digit: UInt8) -> Int? {
        Character(Unicode.Scalar(digit)).hexDigitValue
    }
}
