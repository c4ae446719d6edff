/// When a refused client should retry: the header `Retry-After`, in whole seconds (RFC 9110, section 10.2.3).
///
/// A random time from the expected wait to twice that. Otherwise clients that were refused together would come back together.
struct RetryAfter: Sendable, Equatable {
    /// The range that it is drawn from.
    let range: ClosedRange<Int>

    /// - Parameter seconds: how long it may take until there is room, as far as is known.
    init(_ seconds: Double) {
        let least = Int(min(max(seconds.rounded(.up), 1), 30))
        range = least...2 * least
    }

    /// A moment, from 1 to 60 seconds.
    var seconds: Int { Int.random(in: range) }
}
