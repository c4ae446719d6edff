extension Device {
    /// The app runs for the first time with the library in it.
    mutating func arrive(at time: Int64, existed: Bool, _ outbox: inout Outbox) {
        isInstalled = true
        if existed {
            settings.authorization =
                [.authorized, .denied, .provisional, .notDetermined][
                    random.index(weights: isTelephone ? [560, 375, 40, 25] : [660, 280, 30, 30])
                ]
            settings.personalise(&random)
        }
        installation.isSandbox = random.chance(0.003)
        reportCategories(at: time, &outbox)
        reportSettings(at: time + 120 * Span.millisecond, &outbox)
        registerToken(at: time + random.between(200 * Span.millisecond, 4 * Span.second), &outbox)
        if settings.authorization == .notDetermined, random.chance(0.8) {
            agenda.add(.ask, at: time + random.between(20 * Span.second, 3 * Span.minute))
        }
        if existed { setReminder(at: time + Span.second, &outbox) }
    }

    var isTelephone: Bool { hardware.platform == "ios" }

    /// The app is deleted. Its token dies with it, which APNs says only later.
    mutating func uninstall(at time: Int64, returning: Bool) {
        guard isInstalled else { return }
        isInstalled = false
        installation.removedAt = time
        installation.noticedAt = time + Span.minutes(random.logNormal(median: 2 * 1_440, sigma: 1))
        shelf.removeAll()
        gone.removeAll()
        reminderGeneration = 0
        unfinished = nil
        if returning {
            agenda.add(
                .reinstall,
                at: person.awakeTime(time + random.between(5 * Span.minute, 2 * Span.day), in: zone, &random)
            )
        }
    }

    /// The same person installs the app again: another installation id and token, and another request for permission.
    mutating func reinstall(at time: Int64, in world: World, _ outbox: inout Outbox) {
        ghosts.append(installation)
        installation = Installation(deviceID: Identifier(from: &random), tokenSeed: random.next())
        settings = Settings()
        reportedSettings = nil
        tokenReportedAt = nil
        registeredRelease = nil
        fatigue = 0
        if hardware.newestRelease == .new { release = time < world.released ? .current : .new }
        refreshContext()
        arrive(at: time, existed: false, &outbox)
    }

    /// The app registers with APNs, which now and then fails until the next launch.
    mutating func registerToken(at time: Int64, _ outbox: inout Outbox) {
        let succeeded = !random.chance(0.012)
        begin(.token, at: time, &outbox)
        outbox.line.string("state", succeeded ? "registered" : "registration_failed")
        outbox.line.string("provider", "apns")
        outbox.line.string("type", "alert")
        outbox.line.string("topic", World.topic)
        outbox.line.string("environment", "production")
        if succeeded {
            outbox.line.token("token", seed: installation.tokenSeed)
            installation.isKnownToProvider = true
            tokenReportedAt = time
        } else {
            outbox.line.string("error", random.chance(0.8) ? "NSCocoaErrorDomain 3000" : "NSURLErrorDomain -1009")
        }
        finish(.token, at: time, &outbox)
    }

    /// The system gives the app another token. The provider's list mostly follows.
    mutating func refreshToken(at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled, tokenReportedAt != nil else { return }
        if random.chance(0.3) {
            var ghost = installation
            ghost.removedAt = time
            ghost.noticedAt = time + Span.minutes(random.logNormal(median: 3 * 1_440, sigma: 0.8))
            ghosts.append(ghost)
        }
        installation.tokenSeed = random.next()
        registerToken(at: time, &outbox)
    }

    /// The app says at launch which categories it has.
    mutating func reportCategories(at time: Int64, _ outbox: inout Outbox) {
        guard hardware.hasUserNotifications else { return }
        begin(.categoryRegistration, at: time, &outbox)
        outbox.line.json("categories", release.categories)
        finish(.categoryRegistration, at: time, &outbox)
        registeredRelease = release
    }
}
