extension Notilog {
    /// The callback by which the app learnt that it came to the foreground.
    public enum AppOpenSource: String, Sendable {
        /// `application(_:didFinishLaunchingWithOptions:)`
        case launch
        /// `applicationWillEnterForeground(_:)`
        case foreground
        /// `sceneWillEnterForeground(_:)`
        case scene
    }

    /// Something that the product wants happened.
    public struct Conversion: Sendable, Hashable {
        /// An amount of money.
        public struct Amount: Sendable, Hashable {
            /// In minor units of the currency: cents, yen.
            public var value: Int64
            /// ISO 4217: `EUR`.
            public var currency: String

            /// Makes an amount.
            public init(_ value: Int64, _ currency: String) {
                self.value = value
                self.currency = currency
            }
        }

        /// What happened, in the product's own words: `purchase`.
        public var name: String
        /// What it was worth.
        public var amount: Amount?
        /// The order's id: however often it is recorded, it counts once.
        public var orderID: String?

        /// Makes a conversion.
        public init(_ name: String, amount: Amount? = nil, orderID: String? = nil) {
            self.name = name
            self.amount = amount
            self.orderID = orderID
        }
    }

    /// What the person answered to the app's own question.
    public enum PromptAnswer: String, Sendable {
        /// The person wants to be asked by the system.
        case continued
        /// Not now.
        case later
        /// Not at all.
        case never
        /// The question was closed without an answer.
        case dismissed
    }

    /// A Live Activity as it is now.
    public struct LiveActivity: Sendable, Hashable {
        /// Apple: `ActivityState`; an update of the content is `updated`.
        public enum State: String, Sendable {
            case started, updated, stale, ended, dismissed
        }

        /// Who started it.
        public enum StartedBy: String, Sendable {
            case app, push
        }

        /// By what pushes update it.
        public enum UpdatesBy: String, Sendable {
            case none, token, channel
        }

        /// The activity's `id`.
        public var id: String
        /// The name of the type of its attributes.
        public var attributesType: String?
        /// Its state.
        public var state: State
        /// Who started it, where it just started.
        public var startedBy: StartedBy?
        /// By what pushes update it, where it just started.
        public var updatesBy: UpdatesBy?
        /// The channel of broadcast pushes.
        public var channelID: String?

        /// Makes a state of an activity.
        public init(
            id: String,
            attributesType: String? = nil,
            state: State,
            startedBy: StartedBy? = nil,
            updatesBy: UpdatesBy? = nil,
            channelID: String? = nil
        ) {
            self.id = id
            self.attributesType = attributesType
            self.state = state
            self.startedBy = startedBy
            self.updatesBy = updatesBy
            self.channelID = channelID
        }
    }

    /// What pushes to a token do.
    public enum TokenUse: Sendable, Hashable {
        /// They start Live Activities of this type of attributes (Apple: `pushToStartTokenUpdates`).
        case startingActivities(attributesType: String)
        /// They reload widgets (Apple: `WidgetPushHandler`).
        case widgets
        /// They reload a control of this kind (Apple: `ControlPushHandler`).
        case control(kind: String)
    }
}
