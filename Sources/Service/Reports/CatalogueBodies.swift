internal import JSON
internal import Reports
internal import Synchronization

/// The catalogue as `GET /v1/reports` answers it: for all apps the same, but for the name of the key's own.
final class CatalogueBodies: Sendable {
    /// So many are kept.
    private static let most = 16

    private let catalogue: ReportCatalogue
    private let made = Mutex<[String: StoredBody]>([:])

    init(_ catalogue: ReportCatalogue) {
        self.catalogue = catalogue
    }

    /// The body for the keys of an app. To compress one takes some milliseconds.
    func body(of app: String) -> StoredBody {
        if let known = made.withLock({ $0[app] }) { return known }
        let body = write(app)
        made.withLock { made in
            if made.count >= Self.most { made.removeAll() }
            made[app] = body
        }
        return body
    }

    private func write(_ app: String) -> StoredBody {
        var json = JSONWriter(capacity: 65_536)
        json.object {
            $0.field("app", app)
            for (name, definitions) in [("reports", catalogue.reports), ("listings", catalogue.listings)] {
                $0.name(text: name)
                $0.array { json in
                    for definition in definitions { definition.write(to: &json) }
                }
            }
        }
        return StoredBody(json.bytes, contentType: "application/json")
    }
}
