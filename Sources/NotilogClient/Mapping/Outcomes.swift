extension Notilog {
    /// The callback that told the app that it came to the foreground.
    public enum AppOpenSource: String, Sendable {
        /// `application(_:didFinishLaunchingWithOptions:)`
        case launch
        /// `applicationWillEnterForeground(_:)`
        case foreground
        /// `sceneWillEnterForeground(_:)`
        case scene
    }

    /// A conversion: an event that the product wants.
    public struct Conversion: Sendable, Hashable {
        /// An amount of money.
        public struct Amount: Sendable, Hashable {
            /// The amount in minor units of the currency, such as cents or yen.
            public var value: Int64
            /// The currency in ISO 4217, such as `EUR`.
            public var currency: String

            /// Creates an amount.
            public init(_ value: Int64, _ currency: String) {
                self.value = value
                self.currency = currency
            }
        }

        /// What happened, in the product's own words, such as `purchase`.
        public var name: String
        /// What the conversion was worth.
        public var amount: Amount?
        /// The order's id. An order counts once, however often it is recorded.
        public var orderID: String?

        /// Creates a conversion.
        public init(_ name: String, amount: Amount? = nil, orderID: String? = nil) {
            self.name = name
            self.amount = amount
            self.orderID = orderID
        }
    }

    /// The person's answer to the app's own question.
    public enum PromptAnswer: String, Sendable {
        /// The person agrees to be asked by the system.
        case continued
        /// Not now.
        case later
        /// Not at all.
        case never
        /// The question was closed without an answer.
        case dismissed
    }

    /// The present state of a Live Activity.
    public struct LiveActivity: Sendable, Hashable {
        /// Apple: `ActivityState`. An update of the content is `updated`.
        public enum State: String, Sendable {
            case started, updated, stale, ended, dismissed
        }

        /// Who started it.
        public enum StartedBy: String, Sendable {
            case app, push
        }

        /// Which kind of push updates it.
        public enum UpdatesBy: String, Sendable {
            case none, token, channel
        }

        /// The activity's `id`.
        public var id: String
        /// The name of the type of its attributes.
        public var attributesType: String?
        /// Its state.
        public var state: State
        /// Who started it, if it has just started.
        public var startedBy: StartedBy?
        /// Which kind of push updates it, if it has just started.
        public var updatesBy: UpdatesBy?
        /// The channel of broadcast pushes.
        public var channelID: String?

        /// Creates a state of an activity.
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

    /// The purpose of pushes to a token.
    public enum TokenUse: Sendable, Hashable {
        /// They start Live Activities of this type of attributes (Apple: `pushToStartTokenUpdates`).
        case startingActivities(attributesType: String)
        /// They reload widgets (Apple: `WidgetPushHandler`).
        case widgets
        /// They reload a control of this kind (Apple: `ControlPushHandler`).
        case control(kind: String)
    }
}
