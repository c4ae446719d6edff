import Simulator
import Testing

/// The rates and rhythms that make the traffic believable, measured from the events alone.
@Suite struct HabitTests {
    private let sample: Sample

    init() async {
        sample = await Sample.shared
    }

    /// Newest known authorization status of each device, as (time, status), in the order of time.
    private func statuses() -> [String: [(Double, String)]] {
        var statuses: [String: [(Double, String)]] = [:]
        let raw = ["not_determined", "denied", "authorized", "provisional"]
        for event in sample.events(.settings) {
            guard let time = event.occurredAt, let value = event["authorization_status"] else { continue }
            statuses[event.device, default: []].append((time.seconds, value.string ?? raw[Int(value.number ?? 0)]))
        }
        return statuses.mapValues { $0.sorted { $0.0 < $1.0 } }
    }

    @Test func optInOnIOSIsNear56Percent() {
        let phones = Set(sample.events(.settings).filter { $0["context"]?["platform"]?.string == "ios" }.map(\.device))
        let last = statuses().filter { phones.contains($0.key) }.compactMap(\.value.last?.1).filter {
            $0 != "not_determined"
        }
        let authorized = Double(last.filter { $0 == "authorized" }.count) / Double(last.count)
        #expect(abs(authorized - 0.56) < 0.05)
        let asked = sample.events(.authorizationRequest).filter {
            $0["context"]?["platform"]?.string == "ios"
                && $0["options"]?.array?.contains(.string("provisional")) == false
        }
        let granted = Double(asked.filter { $0["granted"] == .boolean(true) }.count) / Double(asked.count)
        #expect(abs(granted - 0.56) < 0.07)
    }

    @Test("words that name a benefit are ahead of plain ones at both placements, as planted")
    func promptsPersuade() {
        var prompts: [String: [(Double, String)]] = [:]
        for event in sample.events(.permissionPrompt) where event["answer"]?.string == "continued" {
            guard let time = event.occurredAt, let placement = event["placement"]?.string,
                let variant = event["variant"]?.string
            else { continue }
            prompts[event.device, default: []].append((time.seconds, placement + " " + variant))
        }
        var counts: [String: (asked: Double, granted: Double)] = [:]
        for event in sample.events(.authorizationRequest)
        where event["options"]?.array?.contains(.string("provisional")) == false && event["error"] == nil {
            guard let time = event.occurredAt,
                let prompt = prompts[event.device]?.filter({ $0.0 <= time.seconds }).max(by: { $0.0 < $1.0 })
            else { continue }
            counts[prompt.1, default: (0, 0)].asked += 1
            if event["granted"] == .boolean(true) { counts[prompt.1, default: (0, 0)].granted += 1 }
        }
        for placement in ["onboarding", "after_order"] {
            let (benefit, plain) = (counts[placement + " benefit"], counts[placement + " plain"])
            guard let benefit, let plain else {
                Issue.record("nobody was asked at \(placement): \(counts)")
                continue
            }
            #expect(benefit.granted / benefit.asked > plain.granted / plain.asked, "\(placement): \(counts)")
        }
    }

    @Test("Live Activities start, go stale, are dismissed and lack a token as often as planted")
    func liveActivities() {
        var states: [String: Set<String>] = [:]
        var starters: [String: Double] = [:]
        for event in sample.events(.liveActivity) {
            let key = event.device + (event["activity_id"]?.string ?? "")
            states[key, default: []].insert(event["state"]?.string ?? "")
            if let starter = event["started_by"]?.string { starters[starter, default: 0] += 1 }
        }
        let registered = Set(
            sample.events(.token).compactMap { event in event["activity_id"]?.string.map { event.device + $0 } }
        )
        let started = Double(states.count)
        let byApp = (starters["app"] ?? 0) / started
        #expect(started > 100 && abs(byApp - 0.11) < 0.06, "\(starters)")
        let tokenless = Double(states.keys.count { !registered.contains($0) }) / started
        #expect(tokenless > 0 && tokenless < 0.08, "\(tokenless)")
        #expect(states.values.contains { $0.contains("stale") })
        #expect(states.values.contains { $0.contains("dismissed") && !$0.contains("ended") })
    }

    /// Who looks at the experiments of simulated traffic must not be told that devices were shared out otherwise than meant.
    @Test func campaignsShareDevicesOutEqually() {
        var devices: [String: [String: Set<String>]] = [:]
        for event in sample.events(.request) {
            guard let campaign = event["campaign_id"]?.string, let variant = event["variant"]?.string else { continue }
            devices[campaign, default: [:]][variant, default: []].insert(event.device)
        }
        #expect(devices.count >= 6)
        for (campaign, variants) in devices {
            let counts = variants.values.map { Double($0.count) }
            let expected = counts.reduce(0, +) / 3
            let distance = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
            // Of three equal shares, one in a thousand is further off.
            #expect(counts.count == 3 && distance < 13.8, "\(campaign): \(counts)")
        }
    }

    /// The part of accepted pushes of some categories, to devices not known to deny, that got a response; of all, or of those whose
    /// attribute has a value.
    private func responseRate(_ categories: Set<String>, _ key: String = "", _ value: String? = nil) -> Double {
        let statuses = statuses()
        let accepted = Set(sample.events(.pushResult).filter { $0["status"]?.number == 200 }.compactMap(\.notification))
        let responded = Set(sample.events(.actionResponse).compactMap(\.notification))
        var reached: Set<String> = []
        for event in sample.events(.request) {
            let category = event["category_id"] ?? event["payload"]?["aps"]?["category"]
            guard let name = event.notification, let time = event.occurredAt?.seconds, accepted.contains(name),
                categories.contains(category?.string ?? ""),
                value == nil || event["attributes"]?[key]?.string == value,
                statuses[event.device]?.last(where: { $0.0 <= time })?.1 != "denied"
            else { continue }
            reached.insert(name)
        }
        return Double(reached.intersection(responded).count) / Double(reached.count)
    }

    @Test func contextualPushesAreAnsweredNear14Percent() {
        let rate = responseRate(["com.usernotificationstutorial.message", "event-invite", "order-update"])
        #expect(abs(rate - 0.14) < 0.03)
    }

    @Test func genericPushesAreAnsweredNear4Percent() {
        #expect(abs(responseRate(["news", "promotion"]) - 0.04) < 0.01)
    }

    /// What an own dimension has to show, and one that has nothing to.
    @Test func peopleRespondByTheSectionOfNewsNotByTheTypeOfOrders() {
        let others = (responseRate(["news"], "section", "world") + responseRate(["news"], "section", "culture")) / 2
        #expect(responseRate(["news"], "section", "sport") > 1.5 * others)
        let orders = ["express", "standard"].map { responseRate(["order-update"], "order_type", $0) }
        // Of some 220 express orders: three standard errors.
        #expect(abs(orders[0] - orders[1]) < 0.09, "\(orders)")
    }

    @Test func nightsAreQuietWhereTheDeviceIs() {
        for kind in [SimulatedKind.actionResponse, .presentation, .dismissal] {
            let hours = sample.events(kind).compactMap(\.occurredAt?.localHour)
            let night = Double(hours.filter { (1..<5).contains($0) }.count) / Double(hours.count)
            let evening = Double(hours.filter { (18..<22).contains($0) }.count) / Double(hours.count)
            #expect(night < 0.005, "\(kind)")
            #expect(evening > 0.2, "\(kind)")
        }
    }

    @Test func fewPeopleRespondMuch() {
        var responses: [String: Int] = [:]
        for event in sample.events(.actionResponse) { responses[event.device, default: 0] += 1 }
        let sorted = responses.values.sorted(by: >)
        let total = sorted.reduce(0, +)
        let devices = Set(sample.events.map(\.device)).count
        #expect(Double(sorted.prefix(devices / 10).reduce(0, +)) / Double(total) > 0.4)
    }

    @Test func responsesTakeFromSecondsToDays() {
        let times = sample.events(.actionResponse).compactMap { event -> Double? in
            guard let delivered = event["delivered_at"]?.string.flatMap(RFC3339Time.init) else { return nil }
            return event.occurredAt.map { $0.seconds - delivered.seconds }
        }.sorted()
        #expect(times[times.count / 20] < 20)
        #expect((60..<1_200).contains(times[times.count / 2]))
        #expect(times[times.count * 99 / 100] > 86_400)
    }

    @Test func someTurnNotificationsOff() {
        var downgrades = 0
        for changes in statuses().values {
            for (before, after) in zip(changes, changes.dropFirst())
            where before.1 == "authorized" && after.1 == "denied" {
                downgrades += 1
            }
        }
        #expect((0.003..<0.06).contains(Double(downgrades) / Double(sample.parameters.devices)))
    }

    @Test func nobodyPressesCancel() {
        let registered = sample.events(.categoryRegistration).contains { event in
            event["categories"]?.array?.contains { category in
                category["id"]?.string == "news"
                    && category["actions"]?.array?.contains { $0["id"]?.string == "cancel" } == true
            } == true
        }
        #expect(registered)
        #expect(!sample.events(.actionResponse).contains { $0["action_id"]?.string == "cancel" })
    }
}
