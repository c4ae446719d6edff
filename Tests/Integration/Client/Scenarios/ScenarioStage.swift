#if canImport(NotilogClientOnApple)
    import AppleUserNotifications
    import Foundation
    import PlainHTTP
    import Testing

    @testable import NotilogClientOnApple

    /// A device on which a scenario plays: Apple's notification center, the app's recorder, and a service to which it sends.
    struct ScenarioStage {
        let service: ServiceFixture
        let folder: URL
        let center = UNUserNotificationCenter()
        let notifications = NotificationCenter()
        let network = SwitchedNetwork()

        static func run(_ body: (ScenarioStage) async throws -> Void) async throws {
            try await ServiceFixture.run { service in
                let folder = FileManager.default.temporaryDirectory
                    .appendingPathComponent("notilog-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: folder) }
                try await body(ScenarioStage(service: service, folder: folder))
            }
        }

        /// The recorder of the app, or of its extension: each call is another process.
        ///
        /// - Parameter isAway: whether nobody answers where it sends to.
        func recorder(
            sendsItself: Bool = false,
            isAway: Bool = false,
            _ configure: (inout Notilog.Options) -> Void = { _ in }
        ) throws -> Notilog {
            var options = Notilog.Options()
            options.folder = folder
            options.sendsAutomatically = sendsItself
            options.notifications = notifications
            options.connectivity = network
            options.log = { _ in }
            options.context = { Notilog.Context(platform: "ios", appVersion: "1.0") }
            if isAway { options.transport = NobodyThere() }
            configure(&options)
            let url = try #require(URL(string: service.service.url))
            return Notilog(url: url, writeKey: service.app.write, deviceID: "device", options: options)
        }

        /// A push, as the center has it.
        func push(
            _ id: String? = "n",
            isMutable: Bool = false,
            _ change: (UNMutableNotificationContent) -> Void = { _ in }
        ) -> UNNotification {
            let content = UNMutableNotificationContent()
            content.title = "Title"
            content.categoryIdentifier = "news"
            content.userInfo = ["aps": isMutable ? ["mutable-content": 1] : [String: Int]()]
            if let id { content.userInfo["notilog"] = ["id": id, "campaign": "spring"] }
            change(content)
            let trigger = UNPushNotificationTrigger(repeats: false)
            let request = UNNotificationRequest(identifier: "r", content: content, trigger: trigger)
            return UNNotification(date: Date(), request: request)
        }

        /// What the provider tells of the push that it sent.
        func provider(tells more: String = "") async throws {
            let event = """
                {"kind":"request","origin":"provider","occurred_at":"\(Date().rfc3339)","device_id":"device",\
                "notification_id":"n","category_id":"news","campaign_id":"spring"\(more)}
                """
            let answer = try await service.client.post(event, key: service.app.provider)
            #expect(answer.status == 200)
        }

        /// The system tells that a notification came while the app is in the foreground.
        func present(_ notification: UNNotification) {
            center.delegate?.userNotificationCenter(center, willPresent: notification) { _ in }
        }

        /// The system tells that the person responded.
        func respond(_ action: String = UNNotificationDefaultActionIdentifier, to notification: UNNotification) {
            let response = UNNotificationResponse(notification: notification, actionIdentifier: action)
            center.delegate?.userNotificationCenter(center, didReceive: response) {}
        }

        /// The system tells what the app does.
        func post(_ name: String) {
            notifications.post(name: Notification.Name(name), object: nil)
        }

        /// The kinds of the stored events, in their order.
        func kinds() async throws -> [String] {
            let sql = "SELECT string_agg(kind::text, ' ' ORDER BY position) FROM log.event"
            return try await service.text(sql)?.split(separator: " ").map(String.init) ?? []
        }

        /// The rows of a report that takes in all that is stored.
        func rows(_ report: String, _ query: String) async throws -> [[String: Any]] {
            let position = try await service.number("SELECT COALESCE(max(position), 0) FROM log.event")
            let answer = try await service.client.get(
                "/v1/reports/\(report)?min_position=\(position)\(query)",
                key: service.app.read
            )
            #expect(answer.status == 200, "\(report)")
            let fields = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            return fields?["rows"] as? [[String: Any]] ?? []
        }
    }

    /// A network that a scenario switches.
    final class SwitchedNetwork: Notilog.Connectivity {
        private let listeners = Guarded<[@Sendable (Notilog.Network) -> Void]>([])

        func observe(_ onChange: @escaping @Sendable (Notilog.Network) -> Void) {
            listeners.withLock { $0.append(onChange) }
            onChange(.open)
        }

        func turn(_ network: Notilog.Network, for recorder: Notilog) async throws {
            for listener in listeners.withLock({ $0 }) { listener(network) }
            try await eventually("the network was not heard") { await recorder.uploader.network == network }
        }
    }

    /// A service that cannot be reached.
    struct NobodyThere: Notilog.Transport {
        struct Unreachable: Error {}

        func send(_ request: Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer { throw Unreachable() }
    }
#endif
