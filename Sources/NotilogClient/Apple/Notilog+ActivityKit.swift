#if canImport(ActivityKit) && !os(macOS) && !os(visionOS) && !os(tvOS) && !os(watchOS)
    public import ActivityKit
    import Foundation

    @available(iOS 16.2, *)
    extension Notilog {
        /// Follows the app's Live Activities of one type. It records when each starts, is updated, becomes stale, ends
        /// or is dismissed, and the tokens with which pushes start and update them.
        ///
        /// Call it once for each type when the app launches. The system wakes the app when a push starts an activity.
        /// Start the app's own activities inside ``startActivity(updatesBy:channelID:_:)``. Every other activity counts
        /// as started by a push.
        ///
        /// - Parameters:
        ///   - type: the type of their attributes.
        ///   - topic: the APNs topic of pushes to them. Default: `<bundle id>.push-type.liveactivity`.
        /// - Returns: a task. Cancel it to stop following them.
        @discardableResult
        public func observeActivities<Attributes: ActivityAttributes & SendableMetatype>(
            of type: Attributes.Type,
            topic: String? = Bundle.main.bundleIdentifier.map { $0 + ".push-type.liveactivity" }
        ) -> Task<Void, Never> {
            Task { [self] in
                await withTaskGroup(of: Void.self) { group in
                    if #available(iOS 17.2, *) { group.addTask { await self.followStartTokens(of: type, topic) } }
                    // The stream may repeat those that are there already.
                    var followed: Set<String> = []
                    func follow(_ activity: Activity<Attributes>) {
                        guard followed.insert(activity.id).inserted else { return }
                        let activity = Handed(activity)
                        group.addTask { await self.follow(activity, topic) }
                    }
                    for activity in Activity<Attributes>.activities { follow(activity) }
                    for await activity in Activity<Attributes>.activityUpdates { follow(activity) }
                }
            }
        }

        /// Starts a Live Activity, and records that the app started it:
        ///
        ///     try notilog.startActivity(updatesBy: .token) {
        ///         try Activity.request(attributes: attributes, content: content, pushType: .token)
        ///     }
        ///
        /// - Parameters:
        ///   - updatesBy: the kind of push that will update it, as requested by `pushType`.
        ///   - channelID: the channel of broadcast pushes.
        ///   - request: requests the activity from ActivityKit. It is called once, on the caller's thread.
        /// - Returns: the activity.
        public func startActivity<Attributes: ActivityAttributes>(
            updatesBy: LiveActivity.UpdatesBy? = nil,
            channelID: String? = nil,
            _ request: () throws -> Activity<Attributes>
        ) rethrows -> Activity<Attributes> {
            try activityStarts.closed {
                let activity = try request()
                var facts = LiveActivity(activity, startedBy: .app)
                (facts.updatesBy, facts.channelID) = (updatesBy, channelID)
                let phase = ActivityIndex.Phase(activity.activityState) ?? .active
                recordChange(of: facts, phase, content: activity.fingerprint)
                return activity
            }
        }

        @available(iOS 17.2, *)
        private func followStartTokens<Attributes: ActivityAttributes & SendableMetatype>(
            of type: Attributes.Type,
            _ topic: String?
        ) async {
            for await token in Activity<Attributes>.pushToStartTokenUpdates {
                let name = String(describing: type)
                record(token: token, for: .startingActivities(attributesType: name), topic: topic)
            }
        }

        private func follow<Attributes: ActivityAttributes & SendableMetatype>(
            _ handed: Handed<Activity<Attributes>>,
            _ topic: String?
        ) async {
            // One that the app has just asked for is its own.
            await activityStarts.passed()
            let activity = handed.value
            recordChange(
                of: LiveActivity(activity, startedBy: .push),
                ActivityIndex.Phase(activity.activityState),
                content: activity.fingerprint
            )
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await state in handed.value.activityStateUpdates {
                        // One that is not known any more, since the device id was reset, may be the app's own.
                        let phase = ActivityIndex.Phase(state)
                        self.recordChange(of: LiveActivity(handed.value), phase, content: nil)
                    }
                }
                group.addTask {
                    for await content in handed.value.contentUpdates {
                        let fingerprint = Activity<Attributes>.fingerprint(content.state)
                        self.recordChange(of: LiveActivity(handed.value), nil, content: fingerprint)
                    }
                }
                group.addTask {
                    for await token in handed.value.pushTokenUpdates {
                        self.record(activityToken: token, activityID: handed.value.id, topic: topic)
                    }
                }
            }
        }
    }

    @available(iOS 16.2, *)
    extension Notilog.LiveActivity {
        fileprivate init<Attributes: ActivityAttributes>(
            _ activity: Activity<Attributes>,
            startedBy: StartedBy? = nil
        ) {
            let type = String(describing: Attributes.self)
            self.init(id: activity.id, attributesType: type, state: .started, startedBy: startedBy)
        }
    }

    @available(iOS 16.2, *)
    extension Activity {
        /// Distinguishes the content from others. It stays on the device.
        fileprivate static func fingerprint(_ state: Attributes.ContentState) -> UInt64? {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return (try? encoder.encode(state)).map { Notilog.Content.fingerprint(json: $0) }
        }

        fileprivate var fingerprint: UInt64? { Self.fingerprint(content.state) }
    }

    @available(iOS 16.2, *)
    extension ActivityIndex.Phase {
        /// `nil` for a state of a newer system.
        init?(_ state: ActivityState) {
            switch state {
            case .active: self = .active
            case .stale: self = .stale
            case .ended: self = .ended
            case .dismissed: self = .dismissed
            default: return nil
            }
        }
    }

    extension Notilog.Settings {
        /// Whether the person allows Live Activities for the app; `nil` if the system has none.
        static var areActivitiesEnabled: Bool? {
            if #available(iOS 16.1, *) { ActivityAuthorizationInfo().areActivitiesEnabled } else { nil }
        }
    }
#endif
