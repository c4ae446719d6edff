import Simulator
import Testing

/// What every event must have to be accepted.
@Suite struct ShapeTests {
    private let sample: Sample

    init() async {
        sample = await Sample.shared
    }

    @Test func everyLineIsOneJSONObject() {
        #expect(sample.unparsed == 0)
        #expect(sample.events.allSatisfy { !$0.sent.line.contains(0x0A) && $0.sent.line.count < 32_768 })
    }

    @Test func everyEventHasKindTimeAndDevice() {
        for event in sample.events {
            guard event["kind"]?.string == event.sent.kind.rawValue, event.occurredAt != nil, event.device.count == 36
            else {
                Issue.record("an event of kind \(event.sent.kind) lacks a common field")
                return
            }
        }
    }

    private static let required: [(SimulatedKind, [String])] = [
        (.request, ["origin"]),
        (.delivery, ["source"]),
        (.presentation, ["surface", "delivered_at"]),
        (.actionResponse, ["action_id", "app_state", "delegate", "delivered_at"]),
        (.dismissal, ["delivered_at", "category_id"]),
        (.removal, ["reason", "state"]),
        (.authorizationRequest, ["options", "granted"]),
        (.openSettings, ["context"]),
        (.settings, ["authorization_status", "sound", "alert_style", "show_previews"]),
        (.token, ["state", "provider", "type", "topic", "environment"]),
        (.pushResult, ["provider", "status", "apns_id", "token"]),
        (.categoryRegistration, ["categories"]),
        (.appOpen, ["source", "cold"]),
        (.conversion, ["name", "value", "currency", "order_id"]),
        (.holdout, ["campaign_id", "category_id", "scheduled_for", "share"]),
        (.permissionPrompt, ["placement", "variant", "answer"]),
        (.liveActivity, ["activity_id", "attributes_type", "state"]),
    ]

    @Test(arguments: required)
    func everyKindHasItsFields(kind: SimulatedKind, fields: [String]) {
        let events = sample.events(kind)
        #expect(!events.isEmpty)
        for field in fields {
            #expect(events.allSatisfy { $0[field] != nil }, "\(field)")
        }
    }

    @Test func everyNotificationIsNamed() {
        let group: Set<SimulatedKind> = [
            .request, .delivery, .presentation, .actionResponse, .dismissal, .removal, .pushResult,
        ]
        #expect(sample.events.allSatisfy { !group.contains($0.sent.kind) || $0.notification != nil })
    }

    @Test func timesOfDeliveryAreTimes() {
        for field in ["delivered_at", "occurrence", "scheduled_for"] {
            let times = sample.events.compactMap { $0[field]?.string }
            #expect(!times.isEmpty)
            #expect(times.allSatisfy { RFC3339Time($0) != nil }, "\(field)")
        }
    }

    @Test func tokensAre32BytesInHexadecimal() {
        let tokens =
            sample.events.compactMap { $0["token"]?.string } + sample.events.compactMap { $0["push"]?["token"]?.string }
        #expect(!tokens.isEmpty)
        #expect(tokens.allSatisfy { $0.count == 64 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
    }

    @Test func identifiersAreOfTheirTime() throws {
        for event in sample.events {
            guard let id = event["id"]?.string, let time = event.occurredAt else { continue }
            let parts = id.split(separator: "-")
            try #require(
                parts.map(\.count) == [8, 4, 4, 4, 12] && parts[2].first == "7" && "89ab".contains(parts[3].prefix(1))
            )
            let milliseconds = try #require(Int(parts[0] + parts[1], radix: 16))
            guard milliseconds == Int((time.seconds * 1_000 + 0.000_5).rounded(.down)) else {
                Issue.record("an id does not hold its event's time")
                return
            }
        }
    }

    @Test func onlyTheOldLibraryGivesNoIdentifiers() {
        let without = sample.events.filter { $0["id"] == nil }
        #expect(!without.isEmpty)
        #expect(without.allSatisfy { $0["context"]?["sdk_version"]?.string == "0.8.1" })
    }

    @Test func providersSendWhatAppsMayNot() {
        for event in sample.events {
            let isProviders =
                event.sent.kind == .pushResult || event.sent.kind == .holdout || event["origin"]?.string == "provider"
            guard isProviders == (event.sent.source == .provider) else {
                Issue.record("an event of kind \(event.sent.kind) has the wrong key")
                return
            }
        }
    }
}
