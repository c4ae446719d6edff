import Administration
import Decoding
import EventLog
import Testing

/// How an app's ids are hashed must never change: the log would hold two ids of one device.
struct IDHashingTests {
    private func hash(_ id: String, app: AppID, secret: String) -> String? {
        guard case .hashed(let key) = IDHashing(secret: secret).policy(app: app, hashesIDs: true) else { return nil }
        return key.hash(id)
    }

    @Test func theHashIsTheSameForEver() {
        // HMAC-SHA-256 by OpenSSL: the app's key from the secret, then the id by that key.
        #expect(
            hash("d1", app: 1, secret: "s3cret") == "d6dee2f4eaa509c2cd836b006120d0ce9855c44910a6f4153bf91487a2499a62"
        )
    }

    @Test func appsAndSecretsHashApart() {
        let all = [
            hash("d1", app: 1, secret: "a"), hash("d1", app: 2, secret: "a"), hash("d1", app: 1, secret: "b"),
            hash("d2", app: 1, secret: "a"),
        ]
        #expect(Set(all.map { $0 ?? "" }).count == 4)
    }

    @Test(arguments: [nil, ""])
    func withoutASecretNothingIsHashed(_ secret: String?) {
        let ids = IDHashing(secret: secret)
        guard case .unavailable = ids.policy(app: 1, hashesIDs: true),
            case .clear = ids.policy(app: 1, hashesIDs: false)
        else {
            Issue.record("an app's ids are kept although they cannot be hashed, or not although they need no hash")
            return
        }
    }
}
