extension Person {
    /// A moment of a local day at which people are at their telephones, in microseconds since midnight. It may lie past
    /// midnight for those who go to bed late.
    func activeTime(weekend: Bool, _ random: inout DeterministicGenerator) -> Int64 {
        let quarter = random.index(weights: weekend ? Self.weekendCurve : Self.weekdayCurve)
        let share = (Double(quarter) + random.unit()) / Double(Self.weekdayCurve.count)
        let later = weekend ? Span.minutes(50) : 0
        return wakes + later + Int64(share * Double(sleeps - wakes - later))
    }

    func isAsleep(at time: Int64, in zone: Zone) -> Bool {
        let timeOfDay = zone.local(time).timeOfDay
        return timeOfDay < wakes ? timeOfDay + Span.day >= sleeps : timeOfDay >= sleeps
    }

    /// The same moment, or one soon after getting up where the person sleeps then.
    func awakeTime(_ time: Int64, in zone: Zone, _ random: inout DeterministicGenerator) -> Int64 {
        let (day, timeOfDay) = zone.local(time)
        // Some look at the telephone at night, too.
        guard isAsleep(at: time, in: zone), !random.chance(0.06) else { return time }
        let morning = zone.instant(day: timeOfDay < wakes ? day : day + 1, timeOfDay: wakes)
        return max(time, morning + Span.minutes(random.logNormal(median: 14, sigma: 0.9)))
    }

    /// Waking hours in sixteen parts: before work, noon, and above all the evening.
    private static let weekdayCurve = [6, 8, 5, 3, 3, 5, 6, 4, 3, 4, 5, 7, 8, 9, 8, 5]
    private static let weekendCurve = [3, 5, 7, 8, 7, 6, 6, 6, 5, 5, 6, 7, 7, 7, 6, 4]
}
