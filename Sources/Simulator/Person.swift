/// A person's habits, which last for the whole simulation.
struct Person {
    /// How readily the person responds: mean 1, with a heavy tail.
    let engagement: Double
    /// Launches of the app by the person's own wish, a day.
    let sessionsPerDay: Double
    /// Messages from others, a day.
    let messagesPerDay: Double
    /// Orders placed, a day.
    let ordersPerDay: Double
    let readsNews: Bool
    /// How much unanswered traffic the person bears before thinking of turning it off.
    let tolerance: Double
    /// Local time of day of getting up and going to bed, in microseconds since midnight; bed may be past the next midnight.
    let wakes: Int64
    let sleeps: Int64
    /// Local time of day of the daily reminder; nil where the person has set none.
    let reminderTime: Int64?
    let visitsStore: Bool

    init(from random: inout DeterministicGenerator) {
        // Who responds much also opens the app much: one inclination in both.
        let inclination = random.normal()
        engagement = exponential(0.9 * inclination - 0.405)
        sessionsPerDay = min(6, 0.34 * exponential(0.6 * inclination + 0.6 * random.normal()))
        messagesPerDay = min(6, 0.34 * exponential(0.3 * inclination + 0.8 * random.normal()))
        ordersPerDay = min(0.5, random.logNormal(median: 0.035, sigma: 0.8))
        readsNews = random.chance(0.4)
        tolerance = random.logNormal(median: 15, sigma: 0.5)
        let lateness = Span.minutes(45 * random.normal())
        wakes = 6 * Span.hour + Span.minutes(45) + lateness
        sleeps = 22 * Span.hour + Span.minutes(50) + lateness
        let reminded = random.chance(0.16)
        let hour = [7, 8, 9, 12, 18, 20, 21][random.index(weights: [3, 5, 2, 1, 3, 5, 3])]
        let minute = [0, 15, 30, 45][random.index(weights: [5, 1, 3, 1])]
        reminderTime = reminded ? Int64(hour) * Span.hour + Int64(minute) * Span.minute : nil
        visitsStore = random.chance(0.08)
    }
}
