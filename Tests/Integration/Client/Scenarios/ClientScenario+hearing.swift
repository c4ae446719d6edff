#if canImport(NotilogClientOnApple)
    import AppleUserNotifications
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    extension ClientScenario {
        /// The client tells when it cannot hear.
        static let hearing = [
            ClientScenario(
                name: "The app sets a delegate after ours, and a tap is not heard",
                callbacks: "`UNUserNotificationCenter.delegate`, "
                    + "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["request"],
                figure: Figure("engagement", "responded", 0),
                findings: ["delegateReplaced"],
                play: { stage in
                    try await stage.provider()
                    let notilog = try stage.recorder()
                    notilog.install(on: stage.center)
                    let other = OtherDelegate()
                    stage.center.delegate = other
                    stage.respond(to: stage.push())
                    #expect(other.responses.withLock { $0 } == 1)
                    return notilog
                }
            ),
            ClientScenario(
                name: "The App Group is missing from the entitlements",
                callbacks: "`containerURL(forSecurityApplicationGroupIdentifier:)`, "
                    + "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["action_response"],
                figure: Figure("engagement", "responded", 1),
                findings: ["appGroupMissing"],
                play: { stage in
                    let notilog = try stage.recorder { $0.appGroup = "group.com.example.app" }
                    notilog.install(on: stage.center)
                    stage.respond(to: stage.push())
                    return notilog
                }
            ),
            ClientScenario(
                name: "A push without a mark is tapped",
                callbacks: "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["action_response"],
                figure: Figure("engagement", "response_only", 1),
                findings: ["unmarked"],
                play: { stage in
                    let notilog = try stage.recorder()
                    notilog.install(on: stage.center)
                    stage.respond(to: stage.push(nil))
                    return notilog
                }
            ),
            ClientScenario(
                name: "Pushes ask for a service extension, and there is none",
                callbacks: "`userNotificationCenter(_:willPresent:withCompletionHandler:)`",
                events: ["request", "delivery", "presentation"],
                figure: Figure("engagement", "delivery_observable", 0),
                findings: ["extensionSilent"],
                play: { stage in
                    try await stage.provider(tells: #","mutable_content":true"#)
                    let notilog = try stage.recorder()
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push(isMutable: true))
                    return notilog
                }
            ),
            ClientScenario(
                name: "A development build sends with a key for production",
                callbacks: "`embedded.mobileprovision`",
                events: ["action_response"],
                figure: Figure("engagement", "responded", 1),
                findings: ["productionKeyInDebugBuild"],
                play: { stage in
                    let notilog = try stage.recorder { $0.provisioning = Provisioning(isDebug: true) }
                    notilog.install(on: stage.center)
                    stage.respond(to: stage.push())
                    return notilog
                }
            ),
            ClientScenario(
                name: "A build's provisioning profile says that its token is of the sandbox",
                callbacks: "`application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`",
                events: ["token"],
                figure: Figure("tokens", "tokens", 1, ["environment": "sandbox"]),
                play: { stage in
                    let notilog = try stage.recorder { $0.provisioning = Provisioning(isSandbox: true) }
                    notilog.record(deviceToken: Data([1, 2, 3]), topic: "com.example.app")
                    return notilog
                }
            ),
            ClientScenario(
                name: "An app has the callbacks of iOS 9 alone, and keeps getting them",
                callbacks: "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["action_response"],
                figure: Figure("engagement", "opened", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    let calls = Guarded(0)
                    notilog.install(on: stage.center) { _ in calls.withLock { $0 += 1 } }
                    stage.respond(to: stage.push())
                    #expect(calls.withLock { $0 } == 1)
                    return notilog
                }
            ),
        ]
    }

    /// A delegate of somebody else's.
    private final class OtherDelegate: NSObject, UNUserNotificationCenterDelegate {
        let responses = Guarded(0)

        func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
        ) {
            completionHandler([])
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping @Sendable () -> Void
        ) {
            responses.withLock { $0 += 1 }
            completionHandler()
        }

        func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        }
    }
#endif
