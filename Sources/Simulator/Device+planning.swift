extension Device {
    /// Puts the events of a local day on the agenda, by the person's habits.
    mutating func plan(day: Int, in world: World) {
        let weekday = CivilDate.weekday(dayNumber: day)
        let isWeekend = weekday == 0 || weekday == 6
        planSessions(day: day, isWeekend: isWeekend, after: world.start)
        planContextualPushes(day: day, isWeekend: isWeekend, after: world.start)
        planGenericPushes(day: day, weekday: weekday, in: world)
        planReminder(day: day, after: world.start)
        planEvents(day: day, after: world.start)
        planSecondThoughts(day: day, after: world.start)
    }

    private mutating func add(_ step: Agenda.Step, day: Int, timeOfDay: Int64, after start: Int64) {
        let time = zone.instant(day: day, timeOfDay: timeOfDay) + random.between(0, Span.minute)
        if time >= start { agenda.add(step, at: time) }
    }

    private mutating func planSessions(day: Int, isWeekend: Bool, after start: Int64) {
        for _ in 0..<random.poisson(mean: person.sessionsPerDay * (isWeekend ? 1.2 : 0.92)) {
            add(.session, day: day, timeOfDay: person.activeTime(weekend: isWeekend, &random), after: start)
        }
    }

    /// What other people send, and what the person has ordered.
    private mutating func planContextualPushes(day: Int, isWeekend: Bool, after start: Int64) {
        for _ in 0..<random.poisson(mean: person.messagesPerDay * (isWeekend ? 1.25 : 0.9)) {
            let thread = DeterministicGenerator.mix(index) % 9_000 + UInt64(random.below(4))
            let time = person.activeTime(weekend: isWeekend, &random)
            add(.push(.message(thread: thread)), day: day, timeOfDay: time, after: start)
        }
        if random.chance(min(0.2, 0.14 * person.messagesPerDay)) {
            add(.push(.invite), day: day, timeOfDay: person.activeTime(weekend: isWeekend, &random), after: start)
        }
        guard random.chance(person.ordersPerDay) else { return }
        ordersPlaced += 1
        let placed = person.activeTime(weekend: isWeekend, &random)
        let packed = min(max(placed + 30 * Span.minute, 20 * Span.hour), placed + 7 * Span.hour)
        let times = [
            placed, packed, random.between(32 * Span.hour, 34 * Span.hour),
            random.between(34 * Span.hour, 43 * Span.hour),
        ]
        for (stage, time) in times.enumerated() {
            add(.push(.order(number: ordersPlaced, stage: stage)), day: day, timeOfDay: time, after: start)
        }
    }

    /// What goes to everybody: two editions of the news, and a campaign on three days of the week.
    private mutating func planGenericPushes(day: Int, weekday: Int, in world: World) {
        if person.readsNews, weekday != 0, random.chance(0.6) {
            let time = 7 * Span.hour + random.between(0, 40 * Span.minute)
            add(.push(.news(day: day, evening: false)), day: day, timeOfDay: time, after: world.start)
        }
        if person.readsNews, random.chance(0.34) {
            let time = 18 * Span.hour + 10 * Span.minute + random.between(0, 30 * Span.minute)
            add(.push(.news(day: day, evening: true)), day: day, timeOfDay: time, after: world.start)
        }
        if [2, 4, 6].contains(weekday), random.chance(0.52) {
            let time = world.campaignTime(day: day) + random.between(0, 25 * Span.minute)
            let campaign = Campaign(day: day, device: DeterministicGenerator.mix(world.seed &+ index))
            add(.push(.promotion(campaign)), day: day, timeOfDay: time, after: world.start)
        } else if [2, 4, 6].contains(weekday) {
            planHoldout(day: day, in: world)
        }
        if random.chance(0.06) {
            add(.push(.background), day: day, timeOfDay: random.between(0, Span.day), after: world.start)
        }
    }

    private mutating func planReminder(day: Int, after start: Int64) {
        guard let reminderTime, reminderGeneration > 0 else { return }
        // On the second, as the calendar trigger fires.
        let time = zone.instant(day: day, timeOfDay: reminderTime)
        if time >= start { agenda.add(.fire(.reminder(generation: reminderGeneration)), at: time) }
    }

    /// What happens to devices now and then.
    private mutating func planEvents(day: Int, after start: Int64) {
        let time = person.activeTime(weekend: false, &random)
        let draw = random.unit()
        switch draw {
        // Where something is planted nobody does.
        case ..<0.002 where plant != nil: break
        case ..<0.000_9: add(.uninstall(returning: true), day: day, timeOfDay: time, after: start)
        case ..<0.002: add(.uninstall(returning: false), day: day, timeOfDay: time, after: start)
        case ..<0.003_2: add(.refreshToken, day: day, timeOfDay: time, after: start)
        case ..<0.009_2:
            let length = Span.minutes(min(6 * 1_440, random.logNormal(median: 1_300, sigma: 0.8)))
            let until = zone.instant(day: day, timeOfDay: time) + length
            add(.offline(until: person.awakeTime(until, in: zone, &random)), day: day, timeOfDay: time, after: start)
        case ..<0.010_7:
            add(.travel(home: false), day: day, timeOfDay: time, after: start)
            add(.travel(home: true), day: day + 3 + random.below(8), timeOfDay: time, after: start)
        default: break
        }
        if person.visitsStore, random.chance(0.12) {
            add(.fire(.nearby), day: day, timeOfDay: random.between(10 * Span.hour, 20 * Span.hour), after: start)
        }
    }

    /// Where weariness exceeds what the person bears, the sound goes off, then all of it. Few come back.
    private mutating func planSecondThoughts(day: Int, after start: Int64) {
        fatigue *= 0.93
        guard plant == nil else { return }
        var changed = settings
        let time = person.activeTime(weekend: false, &random)
        if settings.authorization == .denied {
            guard random.chance(0.000_6) else { return }
            changed.authorization = .authorized
        } else if settings.authorization == .authorized, random.chance(0.000_5) {
            changed.personalise(&random)
        } else if settings.authorization.allowsAlerts, fatigue > person.tolerance, random.chance(0.035) {
            if settings.sound, random.chance(0.6) {
                changed.sound = false
            } else if settings.lockScreen, random.chance(0.25) {
                changed.lockScreen = false
            } else {
                changed.authorization = .denied
            }
        } else {
            return
        }
        add(.change(changed), day: day, timeOfDay: time, after: start)
    }
}
