import Foundation

extension OpenQueue {
    /// The events from the head on. Old or broken events at the head are skipped for good.
    func oldest(_ count: Int, bytes limit: Int, horizon: Date) throws -> [Notilog.QueuedEvent] {
        var events: [Notilog.QueuedEvent] = []
        var total = 0
        var head = state
        for segment in segments where segment >= state.head.segment {
            let start = segment == state.head.segment ? Int(state.head.offset) : 0
            let bytes = try bytes(segment)
            var offset = start
            while offset < bytes.count {
                guard let payload = Frame.payload(bytes, at: offset) else {
                    guard events.isEmpty else { return events }
                    head.damaged += 1
                    offset = Frame.next(bytes, from: offset + 1) ?? bytes.count
                    // The end of the segment that is written to: it is counted when the writer has left it.
                    if offset == bytes.count, segment == segments.last { head.damaged -= 1 }
                    continue
                }
                if Frame.queuedAt(bytes, payload) < horizon {
                    guard events.isEmpty else { return events }
                    head.dropped += 1
                    offset = payload.upperBound
                    head.head = Notilog.QueuePosition(segment: segment, offset: UInt64(offset))
                    continue
                }
                if events.isEmpty, head != state {
                    head.head = Notilog.QueuePosition(segment: segment, offset: UInt64(offset))
                    try advance(to: head)
                }
                let event = Frame.decode(bytes, payload, segment: segment)
                total += event.json.count
                guard events.isEmpty || total <= limit else { return events }
                events.append(event)
                if events.count >= count { return events }
                offset = payload.upperBound
            }
        }
        if events.isEmpty, head != state {
            if let last = segments.last, head.head.segment < last { head.head = Notilog.QueuePosition(segment: last) }
            try advance(to: head)
        }
        return events
    }

    private func advance(to next: QueueState) throws {
        let generation = state.generation
        state = next
        state.generation = generation
        try save()
        try removeBeforeHead()
    }

    /// Removes events, up to and including the one that ends here.
    func remove(through position: Notilog.QueuePosition) throws {
        guard position > state.head else { return }
        state.head = position
        try save()
        try removeBeforeHead()
    }

    func status() throws -> Notilog.QueueStatus {
        var status = Notilog.QueueStatus()
        status.dropped = state.dropped
        status.damaged = state.damaged
        for (segment, size) in try sizes() {
            status.bytes += size
            guard segment >= state.head.segment else { continue }
            let bytes = try bytes(segment)
            var offset = segment == state.head.segment ? Int(state.head.offset) : 0
            while offset < bytes.count {
                let run = Frame.run(bytes, from: offset)
                status.events += run.count
                offset = run.end < bytes.count ? Frame.next(bytes, from: run.end + 1) ?? bytes.count : run.end
            }
        }
        return status
    }

    /// Stores the consent; if it was refused, deletes everything.
    func setConsent(_ consent: Notilog.Consent, durability: Notilog.QueueLimits.Durability) throws {
        state.consent = consent
        if consent == .refused, let last = segments.last {
            state.head = max(state.head, Notilog.QueuePosition(segment: last + 1))
        }
        try save()
        if durability == .powerLoss { try synchroniseState() }
        try removeBeforeHead()
        guard consent == .refused else { return }
        // What the system was to send goes too, whoever handed it over, and what is remembered of notifications. The
        // device id stays, for an erasure to be asked by.
        try removeFiles { $0.hasSuffix(Handover.suffix) }
        try removeNotesOfDevice()
    }
}
