#if canImport(NotilogClientOnApple)
    import AppleUserNotifications
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    extension ClientScenario {
        /// A local notification of iOS 9 that fired a moment ago.
        private static func local() -> Notilog.LocalNotification {
            Notilog.LocalNotification(
                userInfo: ["notilog": ["id": "n"]],
                category: "news",
                fireDate: Date().addingTimeInterval(-1)
            )
        }

        /// All callbacks.
        static let callbacks = [
            ClientScenario(
                name: "A local notification of iOS 9 is tapped",
                callbacks: "`application(_:didReceive:)`",
                events: ["action_response"],
                figure: Figure("engagement", "opened", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    notilog.record(localNotification: local(), appState: .inactive)
                    return notilog
                }
            ),
            ClientScenario(
                name: "A local notification of iOS 9 fires while the app is active, and nothing is shown",
                callbacks: "`application(_:didReceive:)`",
                events: ["delivery"],
                figure: Figure("engagement", "responded", 0),
                play: { stage in
                    let notilog = try stage.recorder()
                    notilog.record(localNotification: local(), appState: .active)
                    return notilog
                }
            ),
            ClientScenario(
                name: "A button of a local notification of iOS 9 is pressed",
                callbacks: "`application(_:handleActionWithIdentifier:for:completionHandler:)`",
                events: ["delivery", "action_response"],
                figure: Figure("engagement", "acted", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    notilog.record(localNotification: local(), appState: .active)
                    notilog.record(actionIdentifier: "later", localNotification: local(), appState: .background)
                    return notilog
                }
            ),
            ClientScenario(
                name: "The app removes all delivered notifications, and never looked at them",
                callbacks: "`removeAllDeliveredNotifications()`",
                events: ["delivery", "removal"],
                figure: Figure("removals", "delivered", 1, ["reason": "removed_by_app"]),
                play: { stage in
                    let notilog = try stage.recorder()
                    stage.center.delivered = [stage.push()]
                    await notilog.removeDelivered(nil, from: stage.center)
                    return notilog
                }
            ),
            ClientScenario(
                name: "A category has buttons that a banner of iOS 9 shows",
                callbacks: "`setActions(_:for:)`, `registerUserNotificationSettings(_:)`",
                events: ["category_registration", "delivery", "presentation"],
                figure: Figure("actions", "place", 1, ["action": "like"]),
                play: { stage in
                    let notilog = try stage.recorder()
                    let actions = ["like", "share"].map { Notilog.Category.Action($0, title: $0) }
                    notilog.record([Notilog.Category("news", minimalActions: ["like"], actions: actions)])
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push())
                    let stored = try await stage.storedText("data->'categories'->0->'minimal_actions'->>0", of: notilog)
                    #expect(stored == "like")
                    return notilog
                }
            ),
            ClientScenario(
                name: "An attachment is of a type that conforms to a known medium",
                callbacks: "`add(_:withCompletionHandler:)`",
                events: ["request"],
                figure: Figure("engagement", "requested", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    let content = stage.push(nil) { content in
                        content.attachments = [UNNotificationAttachment(identifier: "a", type: "org.webmproject.webp")]
                    }.request.content
                    let request = UNNotificationRequest(identifier: "r", content: content, trigger: nil)
                    try await notilog.add(request, to: stage.center)
                    #expect(try await stage.storedText("data->'attachments'->>0", of: notilog) == "image")
                    return notilog
                }
            ),
            ClientScenario(
                name: "A service extension cannot decrypt a push, and hands it on as it came",
                callbacks: "`didReceive(_:withContentHandler:)`",
                events: ["delivery"],
                figure: Figure("extensions", "unmodified", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    let request = stage.push(isMutable: true).request
                    let recording = notilog.beginExtension(request)
                    recording.failed("decryption")
                    recording.finish(request.content)
                    let failure = try await stage.storedText("data->'attributes'->>'extension_failure'", of: notilog)
                    #expect(failure == "decryption")
                    return notilog
                }
            ),
            ClientScenario(
                name: "The person opens the app's notification settings from a notification",
                callbacks: "`userNotificationCenter(_:openSettingsFor:)`",
                events: ["delivery", "presentation", "open_settings"],
                figure: Figure("opt_outs", "open_settings", 1, ["category": "news"]),
                play: { stage in
                    let notilog = try stage.recorder()
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push())
                    stage.center.delegate?.userNotificationCenter(stage.center, openSettingsFor: stage.push())
                    let way = "data->'attributes'->>'opened_from' || ' ' || (data->'attributes'->>'category_id')"
                    #expect(try await stage.storedText(way, of: notilog) == "notification news")
                    return notilog
                }
            ),
            ClientScenario(
                name: "The app answers the system when its event is with the service",
                callbacks: "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["action_response"],
                figure: Figure("engagement", "responded", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    let response = UNNotificationResponse(notification: stage.push(), actionIdentifier: "like")
                    await withCheckedContinuation { done in
                        notilog.record(response, sendingWithin: 60) { done.resume() }
                    }
                    #expect(try await stage.kinds() == ["action_response"])
                    return notilog
                }
            ),
        ]
    }

    extension ScenarioStage {
        /// What the newest stored event that has it says, once the recorder has sent all.
        fileprivate func storedText(_ expression: String, of notilog: Notilog) async throws -> String? {
            #expect(await notilog.flush() == .sent)
            return try await service.text(
                "SELECT \(expression) FROM log.upcast_event WHERE \(expression) IS NOT NULL ORDER BY position DESC LIMIT 1"
            )
        }
    }
#endif
