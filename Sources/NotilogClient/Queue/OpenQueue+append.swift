import Foundation

extension OpenQueue {
    /// Appends frames; if they do not fit, the oldest segments are deleted first.
    func append(_ bytes: [UInt8], limits: Notilog.QueueLimits) throws {
        var active = try checkedActive()
        if let current = active, current.checkedBytes > 0, current.checkedBytes + bytes.count > limits.segmentBytes {
            active = nil
        }
        if active == nil || segments.count > 1 || bytes.count > limits.segmentBytes {
            active = try makeRoom(for: bytes.count, limits: limits, active: active)
        }
        var target: Active
        if let active {
            target = active
        } else {
            target = try begin(limits: limits)
        }
        try target.file.append(bytes, after: target.checkedBytes)
        if limits.durability == .powerLoss { try target.file.synchronise() }
        target.checkedBytes += bytes.count
        self.active = target
    }

    /// The last segment, if it ends with a whole frame. If it does not, its writer was killed. A new segment is begun
    /// then, and readers skip the partial frame.
    private func checkedActive() throws -> Active? {
        guard let last = segments.last, last >= state.head.segment else { return nil }
        var current: Active
        if let active, active.number == last {
            current = active
        } else {
            current = Active(number: last, file: try QueueFile(path(last), append: true), checkedBytes: 0)
        }
        let size = try current.file.size
        if size > current.checkedBytes {
            let tail = try current.file.read(from: current.checkedBytes)
            current.checkedBytes += Frame.run(tail, from: 0).end
        }
        active = current
        return current.checkedBytes == size ? current : nil
    }

    private func makeRoom(for bytes: Int, limits: Notilog.QueueLimits, active: Active?) throws -> Active? {
        var active = active
        let room = limits.bytes - QueueState.slotBytes * 2
        var sizes = try sizes()
        var total = sizes.reduce(0) { $0 + $1.bytes }
        while total + bytes > room, !sizes.isEmpty {
            let oldest = sizes.removeFirst()
            let start = oldest.segment == state.head.segment ? Int(state.head.offset) : 0
            if oldest.segment >= state.head.segment {
                state.dropped += UInt64(Frame.run(try self.bytes(oldest.segment, from: start), from: 0).count)
            }
            if active?.number == oldest.segment { active = nil }
            state.head = max(state.head, Notilog.QueuePosition(segment: oldest.segment + 1))
            try save()
            try delete(oldest.segment)
            total -= oldest.bytes
        }
        return active
    }

    private func begin(limits: Notilog.QueueLimits) throws -> Active {
        let number = max(state.head.segment, (segments.last ?? 0) + 1)
        let file = try QueueFile(path(number), append: true)
        segments.append(number)
        try save()
        if limits.durability == .powerLoss {
            try synchroniseState()
            try QueueFile.synchronise(folder: folder.path)
        }
        return Active(number: number, file: file, checkedBytes: try file.size)
    }
}
