internal import Administration
internal import FoundationEssentials
internal import NotificationEvents
internal import Synchronization

/// Every active key, in memory, so that no request asks the database who sent it.
///
/// ``KeyDirectory/run()`` keeps it up to date: at once when a change is notified, and from time to time in case a notification
/// was lost.
public final class KeyDirectory: Sendable {
    struct Entry: Sendable {
        let key: ActiveKey
        /// How fast the key may send; `nil` for as fast as it likes.
        let bucket: TokenBucket?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Readings of the database, numbered as they begin.
        var begun = 0
        var taken = 0
    }

    private let state = Mutex(State())
    let coalescedRefresh = CoalescedRefresh()
    let source: Source

    init(source: Source) {
        self.source = source
    }

    /// The number of active keys.
    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// Finds who sent a request. Before a key is refused, the database is asked again: it may have been made just now.
    ///
    /// - Parameters:
    ///   - authorization: the `Authorization` header.
    ///   - takesBasic: whether the key may be the user of basic authentication, with no password, as well.
    /// - Throws: ``Problem`` 401 if the header is absent or contains no key, or the key is unknown or revoked.
    nonisolated(nonsending) func authenticate(_ authorization: String?, takesBasic: Bool = false) async throws(Problem)
        -> Grant
    {
        guard let authorization else {
            throw .unauthorized("send the header `Authorization: Bearer <key>`")
        }
        guard let text = Self.key(authorization, takesBasic), let id = APIKey.id(in: text) else {
            throw .unauthorized("the header Authorization does not hold a key: send `Authorization: Bearer <key>`")
        }
        let hash = KeyHash(of: text)
        if let grant = grant(of: id, hash) { return grant }
        await coalescedRefresh.run { await self.refreshOrWarn() }
        if let grant = grant(of: id, hash) { return grant }
        throw .unknownKey
    }

    /// What a key may do; nil if it is not known to be active.
    func grant(of id: String, _ hash: KeyHash) -> Grant? {
        let entry = state.withLock { $0.entries[id] }
        let matches = hash.matches(entry?.key.hash ?? .ofNoKey)
        return matches ? entry?.key.grant : nil
    }

    /// Whether the key of a request that is under way is still active.
    func isActive(_ grant: Grant) -> Bool {
        state.withLock { $0.entries[grant.keyID] != nil }
    }

    private static func key(_ authorization: String, _ takesBasic: Bool) -> String? {
        // Nearly every client writes it like this.
        let usual = "Bearer ".utf8
        if authorization.utf8.starts(with: usual) { return String(authorization.utf8.dropFirst(usual.count)) }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer":
            return String(parts[1])
        case "basic" where takesBasic:
            guard let data = Data(base64Encoded: String(parts[1])),
                let text = String(validating: data, as: UTF8.self)
            else { return nil }
            return String(text.prefix { $0 != ":" })
        default:
            return nil
        }
    }

    /// The number of a reading of the database that begins now.
    func beginReading() -> Int {
        state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    /// Replaces the known keys with those of a reading, unless a later reading was faster: the earlier one may lack the newest
    /// key.
    func take(_ fresh: [String: Entry], of reading: Int) {
        state.withLock { state in
            guard reading > state.taken else { return }
            (state.entries, state.taken) = (fresh, reading)
        }
    }

    /// How fast a key may send; `nil` for as fast as it likes.
    func bucket(of id: String) -> TokenBucket? {
        guard source.eventsPerSecond != nil else { return nil }
        return state.withLock { $0.entries[id]?.bucket }
    }
}
