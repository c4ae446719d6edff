import Foundation

/// What the queue knows about itself besides the events.
///
/// The file holds two copies, which are written in turn, so that one is always whole. If both are lost, all events in
/// the segments are sent again, and the service takes them as repeats.
struct QueueState: Equatable {
    /// Increases with each change, so that another process can see that there was one.
    var generation: UInt64
    /// The position up to which events were removed.
    var head: Notilog.QueuePosition
    var consent: Notilog.Consent
    /// Whether a recorder that uses the folder requires consent. A state that an earlier version wrote says no.
    var requiresConsent: Bool
    var dropped: UInt64
    var damaged: UInt64

    static let slotBytes = 64
    private static let mark: [UInt8] = [0xF5, 0x4E, 0x4C, 0x53]

    /// The state of a new queue, different from any earlier copy.
    init(at date: Date) {
        generation = UInt64(max(0, date.timeIntervalSince1970) * 1_000_000) & ~1
        // An answer to events of an earlier queue in this folder must not remove those of this one.
        head = Notilog.QueuePosition(segment: generation)
        consent = .unknown
        requiresConsent = false
        dropped = 0
        damaged = 0
    }

    /// Where this state is written. Every second state goes to the second slot.
    var slotOffset: Int { Int(generation % 2) * Self.slotBytes }

    var bytes: [UInt8] {
        var bytes = Self.mark
        for number in [generation, head.segment, head.offset, dropped, damaged] { bytes.append(number) }
        bytes.append(consent.rawValue)
        bytes.append(UInt8(requiresConsent ? 1 : 0))
        bytes.append(contentsOf: repeatElement(0, count: Self.slotBytes - 4 - bytes.count))
        bytes.append(CRC32.checksum(bytes))
        return bytes
    }

    private init?(slot: ArraySlice<UInt8>) {
        let bytes = Array(slot)
        guard bytes.count == Self.slotBytes, bytes.starts(with: Self.mark),
            CRC32.checksum(bytes.dropLast(4)) == bytes.number(UInt32.self, at: Self.slotBytes - 4),
            let consent = Notilog.Consent(rawValue: bytes[44])
        else { return nil }
        generation = bytes.number(UInt64.self, at: 4)
        head = Notilog.QueuePosition(
            segment: bytes.number(UInt64.self, at: 12),
            offset: bytes.number(UInt64.self, at: 20)
        )
        dropped = bytes.number(UInt64.self, at: 28)
        damaged = bytes.number(UInt64.self, at: 36)
        self.consent = consent
        requiresConsent = bytes[45] != 0
    }

    /// The newest whole copy in the file.
    init?(file: [UInt8]) {
        let states = [0, Self.slotBytes].compactMap { start in
            start + Self.slotBytes <= file.count ? QueueState(slot: file[start..<start + Self.slotBytes]) : nil
        }
        guard let newest = states.max(by: { $0.generation < $1.generation }) else { return nil }
        self = newest
    }
}
