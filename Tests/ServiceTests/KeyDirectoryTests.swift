import Administration
import EventLog
import Logging
import NotificationEvents
import Postgres
import Testing

@testable import Service

struct KeyDirectoryTests {
    @Test("a reading that began first and ends last does not take a new key away")
    func readingsOvertake() throws {
        // Never connected: what the database says is given by hand.
        let pool = Pool(ConnectionConfiguration(), limit: 1)
        let directory = KeyDirectory(
            source: KeyDirectory.Source(
                pool: pool,
                logger: Logger(label: "test"),
                ids: IDHashing(secret: nil)
            )
        )
        let key = APIKey.generate(scope: .read)
        let known = [
            key.id: KeyDirectory.Entry(
                key: ActiveKey(hash: KeyHash(of: key.text), grant: Self.grant(key.id)),
                bucket: nil
            )
        ]

        let slow = directory.beginReading()
        let quick = directory.beginReading()
        directory.take(known, of: quick)
        directory.take([:], of: slow)
        #expect(directory.grant(of: key.id, KeyHash(of: key.text))?.keyID == key.id)

        directory.take([:], of: directory.beginReading())
        #expect(directory.grant(of: key.id, KeyHash(of: key.text)) == nil)
    }

    private static func grant(_ id: String) -> Grant {
        Grant(keyID: id, appID: 1, appName: "shop", scope: .read, keepsReplyText: false, ids: .clear)
    }
}
