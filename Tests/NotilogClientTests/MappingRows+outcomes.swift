import Foundation

@testable import NotilogClient

extension MappingRow {
    static let outcomes: [MappingRow] = [
        MappingRow(
            "recordAppOpen",
            .appOpen(.scene, isCold: true, notificationID: "n", at: now),
            "app_open",
            #"{"source":"scene","cold":true,"notification_id":"n"}"#
        ),
        MappingRow(
            "record(conversion)",
            .conversion(Notilog.Conversion("purchase", amount: .init(1299, "EUR"), orderID: "o"), at: now),
            "conversion",
            #"{"name":"purchase","value":1299,"currency":"EUR","order_id":"o"}"#
        ),
        MappingRow(
            "recordPermissionPrompt",
            .permissionPrompt(placement: "onboarding", variant: "b", answer: .later, at: now),
            "permission_prompt",
            #"{"placement":"onboarding","variant":"b","answer":"later"}"#
        ),
        MappingRow(
            "Activity.activityStateUpdates",
            .liveActivity(
                Notilog.LiveActivity(
                    id: "a-1",
                    attributesType: "Ride",
                    state: .started,
                    startedBy: .push,
                    updatesBy: .channel,
                    channelID: "c"
                ),
                at: now
            ),
            "live_activity",
            #"{"activity_id":"a-1","attributes_type":"Ride","state":"started","started_by":"push","updates_by":"channel","channel_id":"c"}"#
        ),
        MappingRow(
            "Activity.pushToStartTokenUpdates",
            .token(
                Data([0, 0xFC]),
                for: .startingActivities(attributesType: "Ride"),
                topic: "t",
                isSandbox: false,
                at: now
            ),
            "token",
            #"{"state":"registered","provider":"apns","token":"00fc","type":"push_to_start","attributes_type":"Ride","topic":"t","environment":"production"}"#
        ),
        MappingRow(
            "ControlPushHandler",
            .token(Data([0, 0xFC]), for: .control(kind: "lock"), topic: "t", isSandbox: false, at: now),
            "token",
            #"{"state":"registered","provider":"apns","token":"00fc","type":"control","control_kind":"lock","topic":"t","environment":"production"}"#
        ),
        MappingRow(
            "WidgetPushHandler",
            .token(Data([0, 0xFC]), for: .widgets, topic: "t", isSandbox: true, at: now),
            "token",
            #"{"state":"registered","provider":"apns","token":"00fc","type":"widget","topic":"t","environment":"sandbox"}"#
        ),
    ]
}
