internal import Hashing
internal import Ingest
internal import Logging
internal import NotificationEvents
internal import Postgres
public import ServiceLifecycle

extension KeyDirectory {
    /// Where keys are read, and how often.
    struct Source: Sendable {
        var pool: Pool
        var logger: Logger
        /// How long a lost notification may leave a revoked key in use.
        var interval: Duration = .seconds(5)
        /// Events a second that each key may send; `nil` for no limit.
        var eventsPerSecond: Double?
        /// What the keys of apps that hash their ids are made from; the same for ever.
        var idHashSecret: String?

        func idPolicy(app: Int32, hashesIDs: Bool) -> IDPolicy {
            guard hashesIDs else { return .clear }
            guard let idHashSecret, !idHashSecret.isEmpty else { return .unavailable }
            let code = SHA256.authenticationCode(
                of: Array("notilog app \(app)".utf8),
                key: Array(idHashSecret.utf8)
            )
            return .hashed(IDHashKey(bytes: code))
        }
    }

    /// The channel on which changes of apps and keys are notified.
    static let channel = "notilog_keys"

    /// Makes a directory with the keys that count now.
    ///
    /// - Throws: ``PostgresError``.
    static func load(_ source: Source) async throws -> KeyDirectory {
        let directory = KeyDirectory(source: source)
        try await directory.refresh()
        return directory
    }

    /// Reads all keys again.
    func refresh() async throws {
        let reading = beginReading()
        var fresh: [String: Entry] = [:]
        for row in try await source.pool.query("SELECT * FROM notilog.active_keys()") {
            let id: String = try row.get(0)
            guard let hash = KeyHash(bytes: try row.get(1)), let scope = Scope(rawValue: try row.get(2)) else {
                continue
            }
            let kept = bucket(of: id)
            let bucket = source.eventsPerSecond.map { kept ?? TokenBucket(perSecond: $0) }
            let appID: Int32 = try row.get(3)
            let grant = Grant(
                keyID: id,
                appID: appID,
                appName: try row.get(6),
                scope: scope,
                keepsReplyText: try row.get(4),
                ids: source.idPolicy(app: appID, hashesIDs: try row.get(5)),
                bucket: bucket
            )
            fresh[id] = Entry(hash: hash, grant: grant)
        }
        take(fresh, of: reading)
    }
}

extension KeyDirectory: Service {
    /// Keeps the keys as the database has them, until the service stops.
    public func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                // Anybody who may connect may notify, and as often as they like: however many notifications come meanwhile,
                // one look is for all of them. They are taken at once, as one that lies unread fills the server's queue.
                let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                group.addTask {
                    let listener = Listener(
                        self.source.pool.configuration,
                        channels: [Self.channel],
                        logger: self.source.logger
                    )
                    // Whatever was notified while nobody listened is made up for by reading again.
                    await listener.run { _ in change.yield() }
                }
                group.addTask {
                    for await _ in changes { await self.secondLook.take { await self.refreshOrWarn() } }
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
            source.logger.warning("keys could not be read, those known stay in use", metadata: ["error": "\(error)"])
        }
    }
}
