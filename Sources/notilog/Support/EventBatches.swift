import Simulator

/// Splits a simulation into requests: events of one source and one clock skew share a request, in order.
struct EventBatches: Sequence, IteratorProtocol {
    private var events: Simulation.Iterator
    private let size: Int
    private var open: [EventBatch.Kind: EventBatch] = [:]
    private var isOver = false

    init(_ simulation: Simulation, size: Int) {
        events = simulation.makeIterator()
        self.size = size
    }

    mutating func next() -> EventBatch? {
        while !isOver {
            guard let event = events.next() else {
                isOver = true
                break
            }
            let kind = EventBatch.Kind(source: event.source, clockSkew: event.clockSkew)
            var batch = open.removeValue(forKey: kind) ?? EventBatch(kind: kind)
            batch.lines.append(contentsOf: event.line)
            batch.lines.append(UInt8(ascii: "\n"))
            batch.count += 1
            if batch.count >= size { return batch }
            open[kind] = batch
        }
        guard let kind = open.keys.min(by: { $0.clockSkew < $1.clockSkew }) else { return nil }
        return open.removeValue(forKey: kind)
    }
}
