#if canImport(NotilogClientOnApple)
    import AppleUserNotifications
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    extension ClientScenario {
        /// Apps of other languages and frameworks.
        static let faces = [
            ClientScenario(
                name: "An app in Objective-C shows a notification, and a button of it is pressed",
                callbacks: "`userNotificationCenter:willPresentNotification:…`, "
                    + "`userNotificationCenter:didReceiveNotificationResponse:…`",
                events: ["request", "delivery", "presentation", "action_response"],
                figure: Figure("engagement", "acted", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    let face = Notilog.ObjectiveC(notilog)
                    face.install(on: stage.center, forwardingTo: nil, presentation: [.banner])
                    let content = stage.push(nil).request.content
                    let request = UNNotificationRequest(identifier: "r", content: content, trigger: nil)
                    face.add(request, to: stage.center, completion: nil)
                    let shown = UNNotification(date: Date(), request: try #require(stage.center.pending.first))
                    stage.present(shown)
                    stage.respond("like", to: shown)
                    return notilog
                }
            ),
            ClientScenario(
                name: "A tap starts a scene, which hears of it twice",
                callbacks: "`scene(_:willConnectTo:options:)`, "
                    + "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["request", "action_response", "action_response"],
                figure: Figure("engagement", "duplicate_callbacks", 1),
                play: { stage in
                    try await stage.provider()
                    let notilog = try stage.recorder()
                    notilog.install(on: stage.center)
                    let tap = UNNotificationDefaultActionIdentifier
                    let response = UNNotificationResponse(notification: stage.push(), actionIdentifier: tap)
                    notilog.record(sceneConnection: response)
                    stage.respond(to: stage.push())
                    return notilog
                }
            ),
            ClientScenario(
                name: "An app awaits what the person says to its question",
                callbacks: "`requestAuthorization(options:)`, `add(_:)`, `getDeliveredNotifications`",
                events: ["authorization_request", "settings", "request", "settings", "delivery"],
                figure: Figure("authorization", "granted", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    try await notilog.requestAuthorization(options: [.alert], center: stage.center)
                    let content = stage.push(nil).request.content
                    let request = UNNotificationRequest(identifier: "r", content: content, trigger: nil)
                    try await notilog.add(request, to: stage.center)
                    await notilog.recordSettings(of: stage.center)
                    stage.center.delivered = stage.center.pending.map { UNNotification(date: Date(), request: $0) }
                    await notilog.sweepDelivered(of: stage.center)
                    return notilog
                }
            ),
        ]
    }
#endif
