import Simulator
import Testing

/// That what happens to notifications in the world happens here.
@Suite struct CoverageTests {
    private let sample: Sample

    init() async {
        sample = await Sample.shared
    }

    private func values(_ kind: SimulatedKind, _ path: String...) -> Set<String> {
        Set(
            sample.events(kind).compactMap { event in
                var value: JSONValue? = event.value
                for key in path { value = value?[key] }
                return value?.string ?? value?.number.map { "\(Int($0))" }
            }
        )
    }

    @Test func everyKindOccurs() {
        let counts = Simulation(SimulationParameters(devices: 400, days: 10, end: 1_763_683_200_000_000, seed: 2))
            .counts()
        for kind in SimulatedKind.allCases { #expect((counts[kind] ?? 0) > 0, "\(kind)") }
    }

    @Test func enumerationsAreUsed() {
        #expect(values(.request, "trigger", "type") == ["push", "calendar", "time_interval", "location"])
        #expect(values(.request, "interruption_level") == ["passive", "active", "time_sensitive"])
        #expect(values(.request, "variant") == ["control", "a", "b"])
        #expect(values(.request, "attributes", "section") == ["world", "sport", "culture"])
        #expect(values(.request, "attributes", "order_type") == ["express", "standard"])
        #expect(
            values(.delivery, "source")
                == ["service_extension", "will_present", "delivered_list", "background_wake"]
        )
        #expect(values(.delivery, "extension", "outcome") == ["modified", "unmodified", "expired", "filtered"])
        #expect(values(.presentation, "surface") == ["foreground", "expanded", "in_app"])
        #expect(
            values(.actionResponse, "delegate")
                == [
                    "did_receive_response", "did_receive_remote_notification", "did_finish_launching",
                    "scene_will_connect", "handle_action", "content_extension",
                ]
        )
        #expect(values(.removal, "reason") == ["gone", "removed_by_app", "replaced"])
        #expect(values(.token, "state") == ["registered", "registration_failed"])
        #expect(
            values(.settings, "authorization_status").isSuperset(of: [
                "not_determined", "denied", "authorized", "provisional", "1", "2",
            ])
        )
        #expect(values(.authorizationRequest, "status_before") == ["not_determined"])
        let reasons = values(.pushResult, "reason")
        #expect(reasons.isSuperset(of: ["BadDeviceToken", "Unregistered", "TooManyRequests", "PayloadTooLarge"]))
        #expect(values(.request, "context", "platform").isSubset(of: ["ios", "ipados", "watchos", "macos"]))
        #expect(values(.settings, "context", "app_version") == ["3.9.4", "5.1.0", "5.2.0"])
        #expect(
            values(.settings, "context", "time_zone").isSuperset(of: [
                "Asia/Kolkata", "Asia/Kathmandu", "Australia/Adelaide",
            ])
        )
    }

    @Test func deadTokensAreToldWithTheirTime() {
        let dead = sample.events(.pushResult).filter { $0["reason"]?.string == "Unregistered" }
        #expect(!dead.isEmpty)
        for event in dead {
            #expect(event["status"]?.number == 410)
            #expect((event["timestamp"]?.number ?? .infinity) < (event.occurredAt?.seconds ?? 0) * 1_000)
        }
    }

    @Test func aReinstallIsAnotherDevice() {
        #expect(Set(sample.events.map(\.device)).count > Set(0..<sample.parameters.devices).count * 95 / 100)
        let asked = sample.events(.token).filter { $0["state"]?.string == "registered" }
        var tokens: [String: Set<String>] = [:]
        for event in asked { tokens[event.device, default: []].insert(event["token"]?.string ?? "") }
        #expect(tokens.values.contains { $0.count > 1 })
    }

    @Test func oneTapMayCallTwice() {
        var delegates: [String: [String]] = [:]
        for event in sample.events(.actionResponse) {
            guard let name = event.notification, let action = event["action_id"]?.string else { continue }
            delegates[name + "/" + action, default: []].append(event["delegate"]?.string ?? "")
        }
        let doubled = Set(delegates.values.filter { $0.count > 1 }.map { Set($0) })
        #expect(doubled.contains(["did_receive_remote_notification", "did_finish_launching"]))
        #expect(doubled.contains(["scene_will_connect", "did_receive_response"]))
        #expect(doubled.contains(["content_extension", "did_receive_response"]))
    }

    @Test func anOrderIsOneNotificationThatIsUpdated() {
        var requests: [String: Int] = [:]
        for event in sample.events(.request) where event["category_id"]?.string == "order-update" {
            requests[(event.notification ?? "") + (event["push"]?["token"]?.string ?? ""), default: 0] += 1
        }
        #expect(requests.values.max() == 4)
    }

    @Test func providersGoOnSendingToThoseWhoDenied() {
        let denied = Set(
            sample.events(.settings).filter { $0["authorization_status"]?.string == "denied" }.map(\.device)
        )
        #expect(sample.events(.request).contains { denied.contains($0.device) && $0.sent.source == .provider })
    }

    @Test func dismissalsComeOnlyFromCategoriesThatAskForThem() {
        let asking: Set<String> = ["news", "daily-reminder", "event-invite"]
        #expect(values(.dismissal, "category_id") == asking)
        let invites = sample.events(.dismissal).filter { $0["category_id"]?.string == "event-invite" }
        #expect(invites.allSatisfy { $0["context"]?["app_version"]?.string == "5.2.0" })
    }

    @Test func serviceExtensionsRunWhereAskedFor() {
        let extended = sample.events(.delivery).filter { $0["source"]?.string == "service_extension" }
        #expect(
            extended.allSatisfy {
                ["news", "com.usernotificationstutorial.message"].contains($0["category_id"]?.string)
            }
        )
        #expect(extended.allSatisfy { $0["context"]?["app_version"]?.string != "3.9.4" })
        #expect(extended.allSatisfy { ["ios", "ipados"].contains($0["context"]?["platform"]?.string) })
    }
}
