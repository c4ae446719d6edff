import Foundation

@testable import NotilogClient

extension MappingRow {
    private static func response(
        _ action: String,
        text: String? = nil,
        by callback: Notilog.Callback = .didReceiveResponse,
        appState: Notilog.AppState? = nil,
        sendsText: Bool = false
    ) -> Notilog.Event {
        .response(
            Notilog.Response(notification(), actionIdentifier: action, text: text),
            by: callback,
            appState: appState,
            sendsText: sendsText,
            at: now
        )
    }

    /// A push with `content-available` alone.
    private static let silent = Notilog.Delivered(request { $0.hasText = false }, date: delivered)

    static let responses: [MappingRow] = [
        MappingRow(
            "UNNotificationDefaultActionIdentifier",
            response("com.apple.UNNotificationDefaultActionIdentifier", appState: .inactive),
            "action_response",
            "{" + onPush + #","action_id":"default","app_state":"inactive","delegate":"did_receive_response"}"#
        ),
        MappingRow(
            "an action of the app's own",
            response("like"),
            "action_response",
            "{" + onPush + #","action_id":"like","delegate":"did_receive_response"}"#
        ),
        MappingRow(
            "UNTextInputNotificationResponse",
            response("comment", text: "héllo 👨‍👩‍👧"),
            "action_response",
            "{" + onPush + #","action_id":"comment","text_length":11,"delegate":"did_receive_response"}"#
        ),
        MappingRow(
            "UNTextInputNotificationResponse, with sendsReplyText",
            response("comment", text: "yes", sendsText: true),
            "action_response",
            "{" + onPush + #","action_id":"comment","text_length":3,"text":"yes","delegate":"did_receive_response"}"#
        ),
        MappingRow(
            "UNNotificationDismissActionIdentifier",
            response("com.apple.UNNotificationDismissActionIdentifier"),
            "dismissal",
            "{" + onPush + "}"
        ),
        MappingRow(
            "connectionOptions.notificationResponse",
            response("com.apple.UNNotificationDefaultActionIdentifier", by: .sceneWillConnect, appState: .notRunning),
            "action_response",
            "{" + onPush + #","action_id":"default","app_state":"not_running","delegate":"scene_will_connect"}"#
        ),
        MappingRow(
            "UNNotificationContentExtension, didReceive",
            response("like", by: .contentExtension),
            "action_response",
            "{" + onPush + #","action_id":"like","delegate":"content_extension"}"#
        ),
        MappingRow(
            "application:didReceiveRemoteNotification",
            .legacy(notification(), by: .didReceiveRemoteNotification, appState: .inactive, at: now),
            "action_response",
            "{" + onPush
                + #","action_id":"default","app_state":"inactive","delegate":"did_receive_remote_notification"}"#
        ),
        MappingRow(
            "application:didFinishLaunchingWithOptions",
            .legacy(notification(), by: .didFinishLaunching, appState: .notRunning, at: now),
            "action_response",
            "{" + onPush + #","action_id":"default","app_state":"not_running","delegate":"did_finish_launching"}"#
        ),
        MappingRow(
            "application:didReceiveRemoteNotification, not inactive",
            .legacy(notification(), by: .didReceiveRemoteNotification, appState: .background, at: now),
            "delivery",
            "{" + onPush + #","source":"background_wake","alerting":true}"#
        ),
        MappingRow(
            "application:didReceiveRemoteNotification, after install",
            .legacy(
                notification(),
                by: .didReceiveRemoteNotification,
                appState: .inactive,
                hearsResponses: true,
                at: now
            ),
            "delivery",
            "{" + onPush + #","source":"background_wake","alerting":true}"#
        ),
        MappingRow(
            "application:didReceiveRemoteNotification, of a silent push",
            .legacy(silent, by: .didReceiveRemoteNotification, appState: .inactive, at: now),
            "delivery",
            "{" + onPush + #","source":"background_wake","alerting":false}"#
        ),
        MappingRow(
            "application:didFinishLaunchingWithOptions, to fetch content",
            .legacy(notification(), by: .didFinishLaunching, appState: .background, at: now),
            "delivery",
            "{" + onPush + #","source":"background_wake","alerting":true}"#
        ),
        MappingRow(
            "application:didFinishLaunchingWithOptions, of a silent push",
            .legacy(silent, by: .didFinishLaunching, appState: .notRunning, at: now),
            "delivery",
            "{" + onPush + #","source":"background_wake","alerting":false}"#
        ),
        MappingRow(
            "application:handleActionWithIdentifier",
            .legacy(notification(), by: .handleAction, actionIdentifier: "accept", text: "ok", appState: nil, at: now),
            "action_response",
            "{" + onPush + #","action_id":"accept","text_length":2,"delegate":"handle_action"}"#
        ),
        MappingRow(
            "application:didReceiveLocalNotification",
            .legacy(local.delivered, by: nil, appState: .inactive, at: now),
            "action_response",
            "{" + onLocal + #","action_id":"default","app_state":"inactive"}"#
        ),
        MappingRow(
            "application:didReceiveLocalNotification, active",
            .legacy(local.delivered, by: nil, appState: .active, at: now),
            "delivery",
            "{" + onLocal + #","source":"will_present","alerting":true}"#
        ),
        MappingRow(
            "application:didFinishLaunchingWithOptions, of a local notification",
            .legacy(local.delivered, by: .didFinishLaunching, appState: .notRunning, at: now),
            "action_response",
            "{" + onLocal + #","action_id":"default","app_state":"not_running","delegate":"did_finish_launching"}"#
        ),
        MappingRow(
            "application:handleActionWithIdentifier, of a local notification",
            .legacy(local.delivered, by: .handleAction, actionIdentifier: "accept", appState: nil, at: now),
            "action_response",
            "{" + onLocal + #","action_id":"accept","delegate":"handle_action"}"#
        ),
    ]

    private static let local = Notilog.LocalNotification(
        userInfo: ["notilog": ["id": "n"]],
        category: "news",
        fireDate: Date(timeIntervalSince1970: 1_767_225_600)
    )
    private static let onLocal =
        #""notification_id":"n","category_id":"news","trigger":{"type":"calendar","repeats":false},"delivered_at":"2026-01-01T00:00:00.000000Z""#

    static let device: [MappingRow] = [
        MappingRow(
            "requestAuthorization",
            .authorization(options: 0x1FF, granted: true, statusBefore: 0, at: now),
            "authorization_request",
            #"{"options":["badge","sound","alert","car_play","critical_alert","provides_app_notification_settings","provisional","announcement","time_sensitive"],"granted":true,"status_before":"not_determined"}"#
        ),
        MappingRow(
            "requestAuthorization, failed",
            .authorization(options: 4, granted: false, error: NSError(domain: "UNErrorDomain", code: 1), at: now),
            "authorization_request",
            #"{"options":["alert"],"granted":false,"error":"notifications_not_allowed"}"#
        ),
        MappingRow(
            "openSettingsFor",
            .openSettings(from: nil, at: now),
            "open_settings",
            #"{"attributes":{"opened_from":"settings"}}"#
        ),
        MappingRow(
            "openSettingsFor, from a notification",
            .openSettings(
                from: Notilog.Delivered(request { $0.categoryID = "news" }, date: delivered),
                at: now
            ),
            "open_settings",
            #"{"attributes":{"opened_from":"notification","category_id":"news"}}"#
        ),
        MappingRow(
            "didRegisterForRemoteNotificationsWithDeviceToken",
            .token(Data([0, 0xFC, 0x13]), topic: "com.example.app", isSandbox: true, at: now),
            "token",
            #"{"state":"registered","provider":"apns","token":"00fc13","topic":"com.example.app","environment":"sandbox"}"#
        ),
        MappingRow(
            "Activity.pushTokenUpdates",
            .token(
                Data([0, 0xFC, 0x14]),
                activityID: "a-1",
                topic: "com.example.app.push-type.liveactivity",
                isSandbox: false,
                at: now
            ),
            "token",
            #"{"state":"registered","provider":"apns","token":"00fc14","type":"live_activity","activity_id":"a-1","topic":"com.example.app.push-type.liveactivity","environment":"production"}"#
        ),
        MappingRow(
            "didFailToRegisterForRemoteNotificationsWithError",
            .tokenFailure(
                NSError(domain: "NSCocoaErrorDomain", code: 3000),
                topic: "com.example.app",
                isSandbox: false,
                at: now
            ),
            "token",
            #"{"state":"registration_failed","provider":"apns","error":"NSCocoaErrorDomain 3000","topic":"com.example.app","environment":"production"}"#
        ),
        MappingRow(
            "setNotificationCategories",
            .categories(
                [
                    Notilog.Category("b", minimalActions: ["like"]),
                    Notilog.Category(
                        "a",
                        options: 0x1F,
                        intentIdentifiers: ["i"],
                        actions: [
                            .init("comment", title: "评论", options: 4, textButtonTitle: "Send", textPlaceholder: ""),
                            .init("delete", title: "Delete", options: 3),
                        ]
                    ),
                ],
                at: now
            ),
            "category_registration",
            #"{"categories":[{"id":"a","options":["custom_dismiss_action","allow_in_car_play","hidden_previews_show_title","hidden_previews_show_subtitle","allow_announcement"],"intent_identifiers":["i"],"actions":[{"id":"comment","title":"评论","type":"text_input","options":["foreground"],"text_button_title":"Send","text_placeholder":""},{"id":"delete","title":"Delete","type":"button","options":["authentication_required","destructive"]}]},{"id":"b","options":[],"intent_identifiers":[],"minimal_actions":["like"],"actions":[]}]}"#
        ),
    ]

    static let settings: [MappingRow] = [
        MappingRow(
            "UNNotificationSettings",
            .settings(
                {
                    var settings = Notilog.Settings()
                    settings.authorizationStatus = 3
                    settings.alert = 2
                    settings.sound = 1
                    settings.badge = 0
                    settings.lockScreen = 2
                    settings.notificationCenter = 2
                    settings.carPlay = 0
                    settings.criticalAlert = 1
                    settings.announcement = 2
                    settings.timeSensitive = 2
                    settings.scheduledDelivery = 1
                    settings.directMessages = 0
                    settings.alertStyle = 1
                    settings.showPreviews = 1
                    settings.providesAppNotificationSettings = true
                    settings.liveActivities = true
                    return settings
                }(),
                at: now
            ),
            "settings",
            #"{"authorization_status":"provisional","alert":"enabled","sound":"disabled","badge":"not_supported","lock_screen":"enabled","notification_center":"enabled","car_play":"not_supported","critical_alert":"disabled","announcement":"enabled","time_sensitive":"enabled","scheduled_delivery":"disabled","direct_messages":"not_supported","alert_style":"banner","show_previews":"when_authenticated","provides_app_notification_settings":true,"live_activities":"enabled"}"#
        ),
        MappingRow(
            "UNNotificationSettings, on a system that has fewer or newer ones",
            .settings(
                {
                    var settings = Notilog.Settings()
                    settings.authorizationStatus = 2
                    settings.alert = 77
                    return settings
                }(),
                at: now
            ),
            "settings",
            #"{"authorization_status":"authorized"}"#
        ),
    ]
}
