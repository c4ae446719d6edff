internal import FoundationEssentials
internal import NotificationEvents
internal import Synchronization

/// Every key that counts, in memory, so that no request asks the database who sent it.
///
/// ``KeyDirectory/run()`` keeps it as the database has it: at once where a change was notified, and from time to time
/// in case a notification was lost.
public final class KeyDirectory: Sendable {
    struct Entry: Sendable {
        let hash: KeyHash
        let grant: Grant
    }

    private let entries = Mutex<[String: Entry]>([:])
    let source: Source

    init(source: Source) {
        self.source = source
    }

    /// How many keys count.
    var count: Int {
        entries.withLock { $0.count }
    }

    /// Finds who sent a request.
    ///
    /// - Parameters:
    ///   - authorization: the `Authorization` header.
    ///   - takesBasic: whether the key may be the user of basic authentication, with no password, as well.
    /// - Throws: ``Problem`` 401 for a header that is absent or holds no key, and for a key that is not known or revoked.
    func authenticate(_ authorization: String?, takesBasic: Bool = false) throws(Problem) -> Grant {
        guard let authorization else {
            throw .unauthorized("send the header `Authorization: Bearer <key>`")
        }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let text = Self.key(parts[0], parts[1], takesBasic), let id = APIKey.id(in: text) else {
            throw .unauthorized("the header Authorization does not hold a key: send `Authorization: Bearer <key>`")
        }
        let entry = entries.withLock { $0[id] }
        let matches = KeyHash(of: text).matches(entry?.hash ?? .ofNoKey)
        guard let entry, matches else {
            throw .unauthorized("the key is not known, or revoked: make one with `notilog keys create`")
        }
        return entry.grant
    }

    private static func key(_ scheme: Substring, _ credentials: Substring, _ takesBasic: Bool) -> String? {
        switch scheme.lowercased() {
        case "bearer":
            return String(credentials)
        case "basic" where takesBasic:
            guard let data = Data(base64Encoded: String(credentials)),
                let text = String(validating: data, as: UTF8.self)
            else { return nil }
            return String(text.prefix { $0 != ":" })
        default:
            return nil
        }
    }

    /// Takes the database's keys in place of those known, and keeps the buckets of those that stay.
    func replace(with fresh: [String: Entry]) {
        entries.withLock { $0 = fresh }
    }

    /// A key's bucket, to be taken over when the key is read again.
    func bucket(of id: String) -> TokenBucket? {
        entries.withLock { $0[id]?.grant.bucket }
    }
}
