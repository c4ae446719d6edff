/// Lines on their way, kept by the slice of time in which they are sent, so that only the lines of the present slice and
/// the late ones of later slices are in memory.
struct Outbox {
    /// The line being written.
    var line = JSONLine()

    private let start: Int64
    private let end: Int64
    private let sliceLength: Int64
    private var slices: [Slice]
    private var earliest: Int64
    private var drawn: UInt64 = 0

    struct Slice {
        var bytes: [UInt8] = []
        var sends: [Send] = []
    }

    struct Send {
        let sentAt: Int64
        /// Tells sends of one moment apart, in the order in which they were made.
        let order: UInt64
        let clockSkew: Int64
        let range: Range<Int>
        let kind: SimulatedKind
        let source: SimulatedSource
        let isRetry: Bool
    }

    init(start: Int64, end: Int64, sliceLength: Int64) {
        self.start = start
        self.end = end
        self.sliceLength = sliceLength
        earliest = start
        slices = Array(repeating: Slice(), count: Int((max(0, end - start) + sliceLength - 1) / sliceLength))
    }

    /// Sends the line that was written, unless the simulation ends before.
    mutating func send(
        _ kind: SimulatedKind,
        at time: Int64,
        from source: SimulatedSource,
        clockSkew: Int64,
        isRetry: Bool = false
    ) {
        guard time < end else { return }
        let sentAt = max(time, earliest)
        let slice = Int((sentAt - start) / sliceLength)
        let lower = slices[slice].bytes.count
        slices[slice].bytes.append(contentsOf: line.bytes)
        drawn += 1
        slices[slice].sends.append(
            Send(
                sentAt: sentAt,
                order: drawn,
                clockSkew: clockSkew,
                range: lower..<slices[slice].bytes.count,
                kind: kind,
                source: source,
                isRetry: isRetry
            )
        )
    }

    /// Takes a slice's sends out, in the order of sending. Nothing may be sent in it, or before, from then on.
    mutating func take(slice: Int) -> Slice {
        var taken = Slice()
        swap(&taken, &slices[slice])
        earliest = start + Int64(slice + 1) * sliceLength
        taken.sends.sort { ($0.sentAt, $0.order) < ($1.sentAt, $1.order) }
        return taken
    }
}
