/// What comes of notifications beyond responses: opens of the app, purchases, the app's own question before the system's.
/// All of it is drawn from random numbers of its own, so that the traffic beside it stays as it is.
extension Device {
    /// Of those not sent a campaign, this part was chosen for it and held out: a tenth of all that were chosen, where 52 % are
    /// sent it.
    private static let heldOut = 0.52 / 9 / 0.48
    /// The part of people who buy within the days after a campaign anyway, and the part who buy because of it.
    private static let purchases = (anyway: 0.05, caused: 0.02)

    /// Runs `body` with the random numbers of outcomes.
    mutating func aside(_ body: (inout Device) -> Void) {
        swap(&random, &outcomeRandom)
        body(&self)
        swap(&random, &outcomeRandom)
    }

    /// The app comes to the foreground, which the newer library records.
    mutating func recordOpen(at time: Int64, by notification: ShownNotification? = nil, _ outbox: inout Outbox) {
        guard release.recordsOutcomes else { return }
        aside { device in
            let isCold = device.random.chance(0.3)
            device.begin(.appOpen, at: time, &outbox)
            outbox.line.string("source", isCold ? "launch" : device.hardware.hasScenes ? "scene" : "foreground")
            outbox.line.boolean("cold", isCold)
            if let identifier = notification?.identifier { outbox.line.identifier("notification_id", identifier) }
            device.finish(.appOpen, at: time, &outbox)
        }
    }

    /// Chooses a device that a campaign is not sent to on that day, perhaps, for those held out.
    mutating func planHoldout(day: Int, in world: World) {
        aside { device in
            guard device.random.chance(Self.heldOut) else { return }
            let minutes = device.random.between(0, 25 * Span.minute)
            let time = device.zone.instant(day: day, timeOfDay: world.campaignTime(day: day)) + minutes
            let campaign = Campaign(day: day, device: DeterministicGenerator.mix(world.seed &+ device.index))
            if time >= world.start { device.agenda.add(.holdOut(campaign), at: time) }
        }
    }

    /// The device is chosen for a campaign and not sent it.
    mutating func holdOut(_ campaign: Campaign, at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled, installation.isKnownToProvider else { return }
        aside { device in
            // The sender leaves out some whom it knows to see nothing, whichever half they would be in.
            if device.settings.authorization == .denied, device.random.chance(0.5) { return }
            device.beginProvider(.holdout, at: time, device.installation, &outbox)
            outbox.line.string("campaign_id", campaign.identifier)
            outbox.line.string("category_id", Category.promotion.identifier ?? "")
            outbox.line.time("scheduled_for", time, offset: 0)
            outbox.line.number("share", "0.1")
            device.finishProvider(.holdout, at: time, &outbox)
        }
        planPurchase(after: time, isSent: false)
    }

    /// The person buys something in the days after a campaign, by the part of people who do.
    mutating func planPurchase(after time: Int64, isSent: Bool) {
        aside { device in
            let share = Self.purchases.anyway + (isSent ? Self.purchases.caused : 0)
            guard device.random.chance(share) else { return }
            let delay = device.random.between(10 * Span.minute, 40 * Span.hour)
            device.agenda.add(.purchase, at: device.person.awakeTime(time + delay, in: device.zone, &device.random))
        }
    }

    mutating func purchase(at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled, release.recordsOutcomes else { return }
        aside { device in
            device.begin(.conversion, at: time, &outbox)
            outbox.line.string("name", "purchase")
            outbox.line.integer("value", 99 + 100 * device.random.below(60))
            outbox.line.string("currency", device.home.currency)
            outbox.line.identifier("order_id", Identifier(from: &device.random))
            device.finish(.conversion, at: time, &outbox)
        }
    }

    /// Words that name a benefit persuade more people than plain ones, at either place; both are told to as many.
    private var hearsBenefit: Bool { index % 2 == 0 }
    /// How much more often the app's own question before it makes a person grant permission.
    var persuasion: Double { release.recordsOutcomes ? hearsBenefit ? 0.05 : -0.05 : 0 }

    /// The app asks in its own words before the system does. Where the person puts it off, the system does not ask yet.
    mutating func prompt(at time: Int64, continued: Bool, _ outbox: inout Outbox) {
        guard release.recordsOutcomes else { return }
        aside { device in
            device.begin(.permissionPrompt, at: time, &outbox)
            outbox.line.string("placement", device.ordersPlaced > 0 ? "after_order" : "onboarding")
            outbox.line.string("variant", device.hearsBenefit ? "benefit" : "plain")
            let declined = ["later", "never", "dismissed"][device.random.index(weights: [6, 1, 3])]
            outbox.line.string("answer", continued ? "continued" : declined)
            device.finish(.permissionPrompt, at: time, &outbox)
        }
    }
}

extension Market {
    fileprivate var currency: String {
        let regions = [
            "US": "USD", "CN": "CNY", "JP": "JPY", "MX": "MXN", "BR": "BRL", "IN": "INR", "AU": "AUD", "GB": "GBP",
        ]
        return regions[String(locale.suffix(2))] ?? "EUR"
    }
}
