import Foundation
import NotilogClient
import Testing

/// What an app records through NotilogClient, over HTTP to the service, and on to the reports.
struct ClientJourneyTests {
    @Test("The service takes every mapping of the table as it comes")
    func mappings() async throws {
        try await Journey.run { journey in
            let notilog = journey.recorder("device")
            for row in MappingRow.all {
                var event = row.event
                event.occurredAt = Date()
                #expect(notilog.track(event).omitted.isEmpty, "\(row.name)")
            }
            #expect(await notilog.flush() == .sent)
            #expect(journey.reports.withLock { $0 }.isEmpty)
            let stored = try await journey.service.number("SELECT count(*) FROM log.event")
            #expect(stored == Int64(MappingRow.all.count))
            // Reply text is measured by the service too, and kept only where the app has that switched on there.
            #expect(try await journey.service.number("SELECT count(*) FROM log.upcast_event WHERE data ? 'text'") == 0)
        }
    }

    @Test("Every payload is one notification of its category in the engagement report")
    func payloads() async throws {
        try await Journey.run { journey in
            let notilog = journey.recorder("device")
            let samples = try Journey.fixture("payloads") as? [[String: Any]] ?? []
            #expect(samples.count == 10)
            for (number, sample) in samples.enumerated() {
                var payload = sample["payload"] as? [String: Any] ?? [:]
                payload["notilog"] = ["id": "push-\(number)"]
                let headers = sample["headers"] as? [String: String] ?? [:]
                guard headers["apns-push-type"] != "background" else {
                    #expect(notilog.record(remoteNotification: payload, appState: .background).isQueued)
                    continue
                }
                let request = Notilog.Request(
                    identifier: headers["apns-collapse-id"] ?? "assigned-\(number)",
                    content: Notilog.Content(payload: payload),
                    trigger: Notilog.Trigger(.push)
                )
                let aps = payload["aps"] as? [String: Any] ?? [:]
                if aps["mutable-content"] != nil {
                    let outcome = Notilog.ExtensionOutcome(.modified, duration: 0.5, attachmentsLoaded: 1)
                    notilog.record(
                        Notilog.Delivered(request, date: nil),
                        source: .serviceExtension,
                        outcome: outcome
                    )
                } else {
                    notilog.record(Notilog.Delivered(request, date: Date()), source: .willPresent)
                    notilog.record(Notilog.Delivered(request, date: Date()), presentedWith: 16)
                }
                notilog.record(
                    Notilog.Response(
                        Notilog.Delivered(request, date: Date()),
                        actionIdentifier: "com.apple.UNNotificationDefaultActionIdentifier"
                    )
                )
            }
            let rows = try await journey.engagement(notilog)
            #expect(rows.count == 2)
            let news = try #require(rows.first { $0["category"] as? String == "news" })
            let none = try #require(rows.first { $0["category"] is NSNull })
            #expect(news["reached"] as? Int == 1 && news["opened"] as? Int == 1 && news["delivered_seen"] as? Int == 1)
            // Eight without a category, and the background push, which is delivered and alerts nobody.
            #expect(none["opened"] as? Int == 8 && none["responded"] as? Int == 8)
            #expect(none["delivered_seen"] as? Int == 9)
            #expect(none["presented_seen"] as? Int == 4)
        }
    }

    @Test("Every category's buttons are in the actions report, those that nobody pressed with 0")
    func categories() async throws {
        try await Journey.run { journey in
            let notilog = journey.recorder("device")
            let samples = try Journey.fixture("categories") as? [[String: Any]] ?? []
            let bits: [String: UInt] = ["authentication_required": 1, "destructive": 2, "foreground": 4]
            let categories = samples.map { sample in
                Notilog.Category(
                    sample["id"] as? String ?? "",
                    options: (sample["options"] as? [String] ?? []).isEmpty ? 0 : 1,
                    actions: (sample["actions"] as? [[String: Any]] ?? []).map { action in
                        let isText = action["type"] as? String == "text_input"
                        return Notilog.Category.Action(
                            action["id"] as? String ?? "",
                            title: action["title"] as? String ?? "",
                            options: (action["options"] as? [String] ?? []).reduce(0) { $0 | (bits[$1] ?? 0) },
                            textButtonTitle: isText ? "Send" : nil,
                            textPlaceholder: isText ? "" : nil
                        )
                    }
                )
            }
            #expect(notilog.record(categories).isQueued)
            for (number, category) in categories.enumerated() {
                var content = Notilog.Content()
                content.hasText = true
                content.categoryID = category.identifier
                content.mark = Notilog.Mark(id: "n-\(number)")
                let request = Notilog.Request(identifier: "r", content: content, trigger: Notilog.Trigger(.push))
                let action = category.actions[0]
                notilog.record(Notilog.Delivered(request, date: Date()), source: .serviceExtension)
                notilog.record(
                    Notilog.Response(
                        Notilog.Delivered(request, date: Date()),
                        actionIdentifier: action.identifier,
                        text: action.textButtonTitle == nil ? nil : "typed"
                    )
                )
            }
            let rows = try await journey.report("actions", notilog)
            for category in categories {
                for (index, action) in category.actions.enumerated() {
                    let row = rows.first {
                        $0["category"] as? String == category.identifier && $0["action"] as? String == action.identifier
                    }
                    #expect(
                        row?["presses"] as? Int == (index == 0 ? 1 : 0),
                        "\(category.identifier) \(action.identifier)"
                    )
                }
            }
        }
    }

    @Test("One tap is one response, whatever callbacks a version of iOS makes of it")
    func delegatePaths() async throws {
        try await Journey.run { journey in
            let paths = try Journey.fixture("delegate-paths") as? [String: Any] ?? [:]
            var duplicates = 0
            var taps = 0
            var last = journey.recorder("none")
            for (state, versions) in paths {
                for (version, callbacks) in versions as? [String: [String]] ?? [:] {
                    // One with a mark, and one as apps send them that know nothing of Notilog.
                    for isMarked in [true, false] {
                        var payload: [String: Any] = ["aps": ["alert": "x", "category": "tap"]]
                        if isMarked { payload["notilog"] = ["id": "n"] }
                        let notilog = journey.recorder("\(state) \(version) \(isMarked)")
                        var responses = 0
                        for callback in callbacks {
                            responses += Journey.call(callback, payload, notilog, isKilled: state == "app_killed")
                        }
                        #expect(await notilog.flush() == .sent)
                        duplicates += responses - 1
                        taps += 1
                        last = notilog
                    }
                }
            }
            #expect(taps == 16)
            let rows = try await journey.engagement(last)
            #expect(rows.count == 1)
            #expect(rows.first?["responded"] as? Int == taps)
            #expect(rows.first?["opened"] as? Int == taps)
            #expect(rows.first?["duplicate_callbacks"] as? Int == duplicates)
        }
    }
}
