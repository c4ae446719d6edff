/// When a refused client should retry: the header `Retry-After`, in whole seconds (RFC 9110, section 10.2.3).
///
/// At least as long as it takes until there is room, and up to twice that, each client at another moment: those who were
/// turned away together would else come back together.
struct RetryAfter: Sendable, Equatable {
    /// What it is drawn from.
    let range: ClosedRange<Int>

    /// - Parameter seconds: how long it may take until there is room, as far as is known.
    init(_ seconds: Double) {
        let least = Int(min(max(seconds.rounded(.up), 1), 30))
        range = least...2 * least
    }

    /// A moment, from 1 to 60 seconds.
    var seconds: Int { Int.random(in: range) }
}
