internal import Administration
internal import Logging
internal import Postgres
public import ServiceLifecycle
internal import Settings

extension KeyDirectory {
    /// Where keys are read, and how often.
    struct Source: Sendable {
        var pool: Pool
        var logger: Logger
        /// How long a lost notification may leave a revoked key in use.
        var interval = Administration.keyInterval
        /// Events a second that each key may send; `nil` for no limit.
        var eventsPerSecond: Double?
        /// How apps hash their ids.
        var ids: IDHashing
    }

    /// Reads the setting: how many events a second each key may send; nil for no limit.
    static func eventsPerSecond(_ settings: SettingsReader) -> Double? {
        settings.number(
            "ingest.events_per_second_per_key",
            atLeast: 0.01,
            "rate limit of a key, else 429; default: no limit"
        )
    }

    /// Creates a directory with the active keys.
    ///
    /// - Throws: `PostgresError`.
    static func load(_ configuration: ServiceConfiguration, _ pool: Pool, _ logger: Logger) async throws -> KeyDirectory
    {
        try await load(
            Source(
                pool: pool,
                logger: logger,
                eventsPerSecond: configuration.eventsPerSecondPerKey,
                ids: configuration.ids
            )
        )
    }

    /// Creates a directory with the active keys.
    ///
    /// - Throws: `PostgresError`.
    static func load(_ source: Source) async throws -> KeyDirectory {
        let directory = KeyDirectory(source: source)
        try await directory.refresh()
        if try await Administration(source.pool).lacksSecretOfEarlierIDs(source.ids) {
            source.logger.warning(
                "ids in the database are hashed, and NOTILOG_ID_HASH_SECRET is not set or is another secret: erasures are refused. Set it to the secret of the other instances"
            )
        }
        return directory
    }

    /// Reads all keys again.
    func refresh() async throws {
        let reading = beginReading()
        var fresh: [String: Entry] = [:]
        for key in try await Administration(source.pool).activeKeys(source.ids) {
            let id = key.grant.keyID
            let kept = bucket(of: id)
            fresh[id] = Entry(key: key, bucket: source.eventsPerSecond.map { kept ?? TokenBucket(perSecond: $0) })
        }
        if source.ids.isAvailable, fresh.values.contains(where: { $0.key.grant.ids.isUnavailable }) {
            source.logger.error(
                "NOTILOG_ID_HASH_SECRET is not the secret that the ids in the database are hashed with: requests of apps with hash_ids are refused. Set it to the secret of the other instances",
                metadata: ["error": "another secret"]
            )
        }
        take(fresh, of: reading)
    }
}

extension KeyDirectory: Service {
    /// Keeps the keys up to date until the service stops.
    public func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                // Anybody who may connect may notify, as often as they like. One refresh answers all notifications that came
                // before it. They are read at once, because unread ones fill the server's queue.
                let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                group.addTask {
                    let listener = Listener(
                        self.source.pool.configuration,
                        channels: [Administration.channel],
                        logger: self.source.logger
                    )
                    // Notifications sent while nobody listened were lost: read again.
                    await listener.run { _ in change.yield() }
                }
                group.addTask {
                    for await _ in changes { await self.coalescedRefresh.run { await self.refreshOrWarn() } }
                }
                group.addTask {
                    while (try? await ContinuousClock().sleep(for: self.source.interval)) != nil {
                        await self.refreshOrWarn()
                    }
                }
            }
        }
    }

    func refreshOrWarn() async {
        do {
            try await refresh()
        } catch is CancellationError {
            return
        } catch {
            source.logger.warning(
                "API keys could not be read and will be read again: new keys are refused and revoked keys accepted until then",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
