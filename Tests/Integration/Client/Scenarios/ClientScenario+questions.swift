#if canImport(NotilogClientOnApple)
    import AppleActivityKit
    import AppleUserNotifications
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    extension ClientScenario {
        private struct Ride: ActivityAttributes {
            struct ContentState: Codable, Hashable {
                var minutes: Int
            }
        }

        /// What the client records by itself once told to.
        static let questions = [
            ClientScenario(
                name: "The app is opened by itself, after a push that nobody tapped",
                callbacks: "`didBecomeActiveNotification`, "
                    + "`didEnterBackgroundNotification`, `willEnterForegroundNotification`",
                events: ["delivery", "presentation", "app_open", "app_open"],
                figure: Figure("outcomes", "influenced", 1, ["conversion": "app_open"]),
                play: { stage in
                    let notilog = try stage.recorder { $0.recordsAppOpens = true }
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push())
                    for name in ["DidBecomeActive", "DidEnterBackground", "WillEnterForeground", "DidBecomeActive"] {
                        stage.post("UIApplication\(name)Notification")
                    }
                    return notilog
                }
            ),
            ClientScenario(
                name: "A push starts a Live Activity, updates it and ends it",
                callbacks: "`pushToStartTokenUpdates`, `activityUpdates`, `contentUpdates`, `activityStateUpdates`",
                events: ["token", "live_activity", "live_activity", "live_activity"],
                figure: Figure("live_activities", "started_by_push", 1, ["attributes_type": "Ride"]),
                play: { stage in
                    let notilog = try stage.recorder()
                    let world = ActivityWorld.of(Activity<Ride>.self)
                    let task = notilog.observeActivities(of: Ride.self, topic: "com.example.app.push-type.liveactivity")
                    func recorded(_ count: Int) async throws {
                        try await eventually("\(count) events") { notilog.status().events == count }
                    }
                    world.startToken.yield(Data([1, 2]))
                    try await recorded(1)
                    let activity = Activity<Ride>(id: "a", content: Ride.ContentState(minutes: 9))
                    world.updates.yield(activity)
                    try await recorded(2)
                    activity.contents.yield(ActivityContent(state: Ride.ContentState(minutes: 4), staleDate: nil))
                    try await recorded(3)
                    activity.states.yield(.ended)
                    try await recorded(4)
                    task.cancel()
                    return notilog
                }
            ),
            ClientScenario(
                name: "The app asks for permission again, after the person has answered",
                callbacks: "`requestAuthorization(options:completionHandler:)`",
                events: ["authorization_request", "settings", "authorization_request", "settings"],
                figure: Figure("authorization", "repeats", 1),
                play: { stage in
                    let notilog = try stage.recorder()
                    for status in [UNAuthorizationStatus.notDetermined, .authorized] {
                        stage.center.settings.authorizationStatus = status
                        try await notilog.requestAuthorization(options: [.alert], center: stage.center)
                    }
                    return notilog
                }
            ),
        ]
    }
#endif
