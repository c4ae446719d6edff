import Foundation

/// A wait by the device's clock, which may be set meanwhile.
struct Pause {
    static let none = Pause(0, from: .distantPast)

    let end: Date
    private let seconds: TimeInterval

    init(_ seconds: TimeInterval, from date: Date) {
        end = date.addingTimeInterval(seconds)
        self.seconds = seconds
    }

    /// The seconds that are left; 0 if it is over.
    func rest(at date: Date) -> TimeInterval {
        let rest = end.timeIntervalSince(date)
        // More than it began with is left where the clock was set back, by whatever: it would last that much longer.
        return rest <= seconds + 1 ? max(rest, 0) : 0
    }
}
