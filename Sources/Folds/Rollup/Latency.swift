/// Times to respond, in buckets and by the windows that reports answer exactly.
package enum Latency {
    /// The windows: 1 and 6 hours; 1, 3, 7 and 30 days.
    package static let windows: [Int64] = [1, 6, 24, 72, 168, 720].map { $0 * Moment.hour }

    /// The least of the windows that a response came in, from 1; one more than their number where it came later, 0 where none
    /// came: `within` of rollups.
    package static func window(from: Moment, to: Moment) -> Int16 {
        if to == .none { return 0 }
        return Int16((windows.firstIndex { to.since(from) <= $0 } ?? windows.count) + 1)
    }

    /// The bucket that a time lies in: the number of upper bounds below it, as `projection.latency_bucket` counts them.
    package static func bucket(_ latency: Int64, _ bounds: [Int64]) -> Int32 {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < latency { low = middle + 1 } else { high = middle }
        }
        return Int32(low)
    }
}
