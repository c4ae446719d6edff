/// One person's device and everything that is to happen to it. Devices know nothing of each other, so each has its own random
/// numbers and is simulated alone.
struct Device {
    let index: UInt64
    var random: DeterministicGenerator
    /// Of what comes of notifications.
    var outcomeRandom: DeterministicGenerator
    let person: Person
    let home: Market
    var zone: Zone
    var hardware: Hardware
    var release: Release
    /// The context of events, as JSON, made again whenever a part of it changes.
    var context: [UInt8] = []

    var installation: Installation
    /// Tokens that the provider continues to use after the app has another.
    var ghosts: [Installation] = []
    var isInstalled = false
    var settings = Settings()
    var reportedSettings: Settings?
    var reportedSettingsAt: Int64 = 0
    var tokenReportedAt: Int64?
    var registeredRelease: Release?

    var agenda = Agenda()
    var plannedDay: Int
    /// What lies on the device.
    var shelf: [ShownNotification] = []
    /// Notifications that a sweep has reported and the next will miss.
    var gone: [ShownNotification] = []
    var lastSerial: UInt32 = 0
    /// Grows with what the person did not care for, and fades.
    var fatigue = 0.0
    /// Counts the times at which the daily reminder was set; 0 is never.
    var reminderGeneration = 0
    var reminderTime: Int64?
    /// The pending reminder of something unfinished.
    var unfinished: Int?
    var ordersPlaced = 0
    /// The order whose Live Activity is on the screen.
    var startedActivity: Int?
    /// The order whose Live Activity the person dismissed before its end.
    var dismissedActivity: Int?

    /// What goes wrong in the world, and from when on.
    let plant: SimulationPlant?
    let plantedAt: Int64

    /// How far the device's clock is ahead.
    let clockSkew: Int64
    var offline: Range<Int64> = 0..<0
    /// Some devices upload on a few days only; 0 for those that do at once.
    let uploadPeriod: Int64

    init(index: Int, world: World) {
        self.index = UInt64(index)
        random = DeterministicGenerator(seed: world.seed, member: UInt64(index))
        outcomeRandom = DeterministicGenerator(seed: ~world.seed, member: UInt64(index))
        person = Person(from: &random)
        home = Market.all[random.index(weights: Market.weights)]
        zone = home.zone
        hardware = Hardware(from: &random)
        let lagsBehind = random.chance(0.05)
        release = lagsBehind || hardware.newestRelease == .old ? .old : .current
        installation = Installation(deviceID: Identifier(from: &random), tokenSeed: random.next())
        clockSkew = random.chance(0.02) ? Self.skews[random.below(Self.skews.count)] : 0
        uploadPeriod = random.chance(0.025) ? random.between(30 * Span.hour, 4 * Span.day) : 0
        plant = world.plant
        plantedAt = world.plantedAt
        plannedDay = Int(floorDivide(world.start, Span.day)) - 1

        if random.chance(0.72) {
            // There before: heard of when the app first runs with this library in it, in the background or by hand.
            let first = world.start + min(Span.minutes(random.logNormal(median: 300, sigma: 1)), 40 * Span.hour)
            agenda.add(.arrive(existed: true), at: person.awakeTime(first, in: zone, &random))
        } else {
            let first = random.between(world.start, max(world.start + 1, world.end))
            agenda.add(.arrive(existed: false), at: person.awakeTime(first, in: zone, &random))
        }
        if release != hardware.newestRelease, !random.chance(release == .old ? 0.7 : 0.12) {
            let delay = Span.minutes(random.logNormal(median: 60 * 50, sigma: 0.9))
            agenda.add(.updateApp, at: world.released + delay)
        }
        if hardware.system.hasPrefix("26"), random.chance(0.35) {
            agenda.add(.updateSystem, at: random.between(world.start, max(world.start + 1, world.end)))
        }
        if plant != nil, outcomeRandom.chance(0.88) {
            let delay = Span.minutes(outcomeRandom.logNormal(median: 60 * 50, sigma: 0.9))
            agenda.add(.updatePlanted, at: world.plantedAt + delay)
        }
        refreshContext()
    }

    /// Clocks set wrong by hand, in the wrong zone, or by a day; few values, so that a sender can batch by them.
    private static let skews: [Int64] = [
        -24 * Span.hour, -3 * Span.hour, -7 * Span.minute - 12 * Span.second, -95 * Span.second, 140 * Span.second,
        11 * Span.minute, Span.hour, 26 * Span.hour,
    ]

    /// Lets everything happen that happens before `end`.
    mutating func live(until end: Int64, in world: World, _ outbox: inout Outbox) {
        while zone.instant(day: plannedDay, timeOfDay: 0) < end {
            plan(day: plannedDay, in: world)
            plannedDay += 1
        }
        while let item = agenda.next(before: end) {
            take(item.step, at: item.time, in: world, &outbox)
        }
    }

    private mutating func take(_ step: Agenda.Step, at time: Int64, in world: World, _ outbox: inout Outbox) {
        switch step {
        case .arrive(let existed): arrive(at: time, existed: existed, &outbox)
        case .session:
            recordOpen(at: time, &outbox)
            open(at: time, &outbox)
        case .ask: ask(at: time, &outbox)
        case .push(let push):
            send(push, at: time, &outbox)
            if case .order(let number, let stage) = push { pushActivity(of: number, stage: stage, at: time, &outbox) }
            if case .promotion = push { planPurchase(after: time, isSent: true) }
        case .holdOut(let campaign): holdOut(campaign, at: time, &outbox)
        case .purchase: purchase(at: time, &outbox)
        case .react(let serial, let reaction): react(to: serial, reaction, at: time, &outbox)
        case .fire(let notification): fire(notification, at: time, &outbox)
        case .updateApp: release = hardware.newestRelease
        case .updatePlanted: if release == .new { release = .planted }
        case .updateSystem: hardware.system = hardware.systemUpdate
        case .travel(let isHome): zone = isHome ? home.zone : Market.all[random.index(weights: Market.weights)].zone
        case .offline(let until): offline = time..<until
        case .refreshToken: refreshToken(at: time, &outbox)
        case .change(let settings): change(to: settings)
        case .uninstall(let returning): uninstall(at: time, returning: returning)
        case .reinstall: reinstall(at: time, in: world, &outbox)
        }
        switch step {
        case .updateApp, .updatePlanted, .updateSystem, .travel, .reinstall: refreshContext()
        default: break
        }
    }
}
