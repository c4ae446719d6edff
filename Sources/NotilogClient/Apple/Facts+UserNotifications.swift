#if canImport(UserNotifications) && !os(tvOS)
    import Foundation
    public import UserNotifications

    #if canImport(CoreLocation)
        import CoreLocation
    #endif

    extension Notilog.Content {
        /// Creates content from a `UNNotificationContent`.
        public init(_ content: UNNotificationContent) {
            self.init()
            categoryID = content.categoryIdentifier
            threadID = content.threadIdentifier
            hasText = !(content.title.isEmpty && content.subtitle.isEmpty && content.body.isEmpty)
            badge = content.badge?.intValue
            sound = content.sound.map { sound in
                sound == .default ? .standard : sound == .defaultCritical ? .critical : .custom
            }
            interruptionLevel = Int(content.interruptionLevel.rawValue)
            relevanceScore = content.relevanceScore
            attachmentTypes = content.attachments.map { Self.mediaType($0.type) }
            takeUserInfo(content.userInfo)
        }
    }

    extension Notilog.Trigger {
        /// Creates a trigger from a `UNNotificationTrigger`; `nil` means a request without one.
        public init(_ trigger: UNNotificationTrigger?) {
            switch trigger {
            case nil:
                self.init(.immediate)
            case let trigger as UNTimeIntervalNotificationTrigger:
                self.init(
                    .timeInterval,
                    repeats: trigger.repeats,
                    interval: trigger.timeInterval,
                    nextDate: trigger.nextTriggerDate()
                )
            case let trigger as UNCalendarNotificationTrigger:
                self.init(
                    .calendar,
                    repeats: trigger.repeats,
                    components: trigger.dateComponents,
                    nextDate: trigger.nextTriggerDate()
                )
            case is UNPushNotificationTrigger:
                self.init(.push)
            default:
                #if !os(macOS) && !os(visionOS) && canImport(CoreLocation)
                    if let trigger = trigger as? UNLocationNotificationTrigger {
                        let region = trigger.region
                        self.init(
                            .location,
                            repeats: trigger.repeats,
                            onEntry: region.notifyOnEntry,
                            onExit: region.notifyOnExit
                        )
                        return
                    }
                #endif
                self.init(nil, repeats: trigger?.repeats ?? false)
            }
        }
    }

    extension Notilog.Request {
        /// Creates a request from a `UNNotificationRequest`.
        public init(_ request: UNNotificationRequest) {
            self.init(
                identifier: request.identifier,
                content: Notilog.Content(request.content),
                trigger: Notilog.Trigger(request.trigger)
            )
        }
    }

    extension Notilog.Delivered {
        /// Creates a notification from a `UNNotification`.
        public init(_ notification: UNNotification) {
            self.init(Notilog.Request(notification.request), date: notification.date)
        }
    }

    extension Notilog.Response {
        /// Creates a response from a `UNNotificationResponse`.
        public init(_ response: UNNotificationResponse) {
            self.init(
                Notilog.Delivered(response.notification),
                actionIdentifier: response.actionIdentifier,
                text: (response as? UNTextInputNotificationResponse)?.userText
            )
        }
    }

    extension Notilog.Category {
        /// Creates a category from a `UNNotificationCategory`.
        public init(_ category: UNNotificationCategory) {
            self.init(
                category.identifier,
                options: category.options.rawValue,
                intentIdentifiers: category.intentIdentifiers,
                actions: category.actions.map { action in
                    let input = action as? UNTextInputNotificationAction
                    return Action(
                        action.identifier,
                        title: action.title,
                        options: action.options.rawValue,
                        textButtonTitle: input?.textInputButtonTitle,
                        textPlaceholder: input?.textInputPlaceholder
                    )
                }
            )
        }
    }
#endif
