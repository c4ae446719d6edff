#if canImport(NotilogClientOnApple)
    import AppleUserNotifications
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    extension ClientScenario {
        /// Nothing waits for the app to be opened again.
        static let sending = [
            ClientScenario(
                name: "A service extension gets a push, and the app is not opened",
                callbacks: "`didReceive(_:withContentHandler:)`",
                events: ["request", "delivery"],
                figure: Figure("engagement", "delivery_rate", 1),
                play: { stage in
                    try await stage.provider(tells: #","mutable_content":true"#)
                    let notilog = try stage.recorder()
                    let request = stage.push(isMutable: true).request
                    let recording = notilog.beginExtension(request)
                    await withCheckedContinuation { handed in
                        recording.finish(request.content) { _ in handed.resume() }
                    }
                    // The event is with the service before the content is shown.
                    #expect(try await stage.kinds().count == 2)
                    return notilog
                }
            ),
            ClientScenario(
                name: "A service extension cannot reach the service; the app is opened later",
                callbacks: "`didReceive(_:withContentHandler:)`",
                events: ["delivery"],
                figure: Figure("engagement", "delivered_seen", 1),
                play: { stage in
                    let request = stage.push().request
                    let recording = try stage.recorder(isAway: true).beginExtension(request)
                    await withCheckedContinuation { handed in
                        recording.finish(request.content) { _ in handed.resume() }
                    }
                    return try stage.recorder()
                }
            ),
            ClientScenario(
                name: "A button is pressed, and nothing else happens in the app",
                callbacks: "`userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["delivery", "presentation", "action_response"],
                figure: Figure("engagement", "acted", 1),
                sendsItself: true,
                play: { stage in
                    let notilog = try stage.recorder(sendsItself: true) { $0.sendingDelay = 3600 }
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push())
                    stage.respond("like", to: stage.push())
                    return notilog
                }
            ),
            ClientScenario(
                name: "A silent push wakes the app in the background, and nothing else happens",
                callbacks: "`application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`",
                events: ["delivery"],
                figure: Figure("engagement", "delivered_seen", 1),
                sendsItself: true,
                play: { stage in
                    let notilog = try stage.recorder(sendsItself: true) { $0.sendingDelay = 3600 }
                    notilog.record(remoteNotification: stage.push().request.content.userInfo, appState: .background)
                    return notilog
                }
            ),
            ClientScenario(
                name: "The app leaves the foreground while events wait",
                callbacks: "`userNotificationCenter(_:willPresent:withCompletionHandler:)`, "
                    + "`didEnterBackgroundNotification`",
                events: ["delivery", "presentation"],
                figure: Figure("engagement", "presented_seen", 1),
                sendsItself: true,
                play: { stage in
                    let notilog = try stage.recorder(sendsItself: true) { $0.sendingDelay = 3600 }
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push())
                    stage.post("UIApplicationDidEnterBackgroundNotification")
                    return notilog
                }
            ),
            ClientScenario(
                name: "The network is lost, and comes back",
                callbacks: "`userNotificationCenter(_:willPresent:withCompletionHandler:)`, `pathUpdateHandler`",
                events: ["delivery", "presentation"],
                figure: Figure("engagement", "presented_seen", 1),
                sendsItself: true,
                play: { stage in
                    let notilog = try stage.recorder(sendsItself: true) { $0.sendingDelay = 3600 }
                    notilog.install(on: stage.center, presentation: [.banner])
                    try await stage.network.turn(.offline, for: notilog)
                    stage.present(stage.push())
                    try await stage.network.turn(.open, for: notilog)
                    return notilog
                }
            ),
            ClientScenario(
                name: "A notification is tapped in Low Data Mode",
                callbacks: "`pathUpdateHandler`, `userNotificationCenter(_:didReceive:withCompletionHandler:)`",
                events: ["delivery", "presentation", "action_response"],
                figure: Figure("engagement", "opened", 1),
                sendsItself: true,
                play: { stage in
                    let notilog = try stage.recorder(sendsItself: true)
                    notilog.install(on: stage.center, presentation: [.banner])
                    try await stage.network.turn(.lowData, for: notilog)
                    stage.present(stage.push())
                    stage.respond(to: stage.push())
                    return notilog
                }
            ),
            ClientScenario(
                name: "The app is suspended before the service answers, and the system goes on sending",
                callbacks: "`didEnterBackgroundNotification`, `urlSession(_:task:didCompleteWithError:)`",
                events: ["delivery", "presentation"],
                figure: Figure("engagement", "presented_seen", 1),
                sendsItself: true,
                play: { stage in
                    let notilog = try stage.recorder(sendsItself: true, isAway: true) { options in
                        options.sendingDelay = 3600
                        options.backgroundUploads = Notilog.BackgroundSession()
                    }
                    notilog.install(on: stage.center, presentation: [.banner])
                    stage.present(stage.push())
                    stage.post("UIApplicationDidEnterBackgroundNotification")
                    // An answer to the upload takes the events out of the queue.
                    try await eventually("the events are still in the queue") { notilog.status().events == 0 }
                    return notilog
                }
            ),
        ]
    }
#endif
