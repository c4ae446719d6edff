import Foundation
import NotilogClient
import Testing

/// What must not be counted twice, or at all, from the recorder to the report.
struct ClientCountingTests {
    private func request(_ identifier: String, _ notilog: Notilog, _ trigger: Notilog.Trigger) -> Notilog.Request {
        var content = Notilog.Content()
        content.hasText = true
        content.categoryID = identifier
        content.takeUserInfo(notilog.stamp([:], identifier: identifier))
        return Notilog.Request(identifier: identifier, content: content, trigger: trigger)
    }

    @Test("A silent push that starts or wakes the app is neither reached nor opened")
    func silentPushes() async throws {
        try await Journey.run { journey in
            let notilog = journey.recorder("device")
            func silent(_ id: String) -> [String: Any] {
                ["aps": ["content-available": 1, "category": "silent"], "notilog": ["id": id]]
            }
            #expect(notilog.record(launchNotification: silent("1")).isQueued)
            #expect(notilog.record(remoteNotification: silent("2"), appState: .inactive).isQueued)
            #expect(notilog.record(remoteNotification: silent("3"), appState: .background).isQueued)
            let row = try #require(try await journey.engagement(notilog).first)
            #expect(row["delivered_seen"] as? Int == 3)
            for count in ["responded", "opened", "app_opened", "reached"] {
                #expect(row[count] as? Int == 0, "\(count)")
            }
        }
    }

    @Test("A request that is added again while pending or shown is one notification with an update")
    func updates() async throws {
        try await Journey.run { journey in
            let notilog = journey.recorder("device")
            // Pending, pending again, and shown: no report counts what is due later than it is made.
            let place = Notilog.Trigger(.location, onEntry: true)
            for trigger in [place, place, Notilog.Trigger(.immediate)] {
                #expect(notilog.record(request("news", notilog, trigger)).isQueued)
            }
            let rows = try await journey.engagement(notilog)
            #expect(rows.count == 1)
            #expect(rows.first?["requested"] as? Int == 1 && rows.first?["updates"] as? Int == 2)
        }
    }

    @Test("A request that waits for a place is withdrawn when the app takes it back")
    func withdrawn() async throws {
        try await Journey.run { journey in
            let notilog = journey.recorder("device")
            for identifier in ["some", "all"] {
                notilog.record(request(identifier, notilog, Notilog.Trigger(.location, onEntry: true)))
            }
            #expect(notilog.recordRemoval(pending: ["some"]).map(\.isQueued) == [true])
            #expect(notilog.recordRemoval(pending: nil).map(\.isQueued) == [true])
            let rows = try await journey.engagement(notilog)
            #expect(rows.count == 2 && rows.allSatisfy { $0["withdrawn"] as? Int == 1 && $0["reached"] as? Int == 0 })
        }
    }
}
