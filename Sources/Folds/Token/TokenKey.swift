/// A device token of an app; `token` is a symbol of ``Symbols/names``, as the texts beside it are.
package struct TokenID: Hashable, Sendable {
    package var app: Int32
    package var token: Symbol

    package init(app: Int32, token: Symbol) {
        self.app = app
        self.token = token
    }
}

/// A device of an app that registered tokens.
package struct TokenDevice: Hashable, Sendable {
    package var app: Int32
    package var device: Symbol

    package init(app: Int32, device: Symbol) {
        self.app = app
        self.device = device
    }
}

/// A token with a device that registered it, for whatever it did.
package struct HeldToken: Hashable, Sendable {
    package var owner: TokenDevice
    package var token: Symbol

    package init(owner: TokenDevice, token: Symbol) {
        self.owner = owner
        self.token = token
    }

    package var id: TokenID { TokenID(app: owner.app, token: token) }
}

/// A token with its provider: what an answer to a push speaks of.
package struct ProviderToken: Hashable, Sendable {
    package var id: TokenID
    package var provider: Symbol

    package init(id: TokenID, provider: Symbol) {
        self.id = id
        self.provider = provider
    }
}

/// For what a device may have one token at a time.
package struct TokenUse: Hashable, Sendable {
    package var provider: Symbol
    package var type: Symbol
    /// The empty string where it was not said.
    package var topic: Symbol
    package var environment: Symbol
    /// What a device has several of, each with a token of its own: the Live Activity of an `activity_update` token, the type
    /// of attributes of a `push_to_start` token, the kind of a `control` token. The empty string of any other.
    package var activity: Symbol

    package init(provider: Symbol, type: Symbol, topic: Symbol, environment: Symbol, activity: Symbol) {
        self.provider = provider
        self.type = type
        self.topic = topic
        self.environment = environment
        self.activity = activity
    }
}

/// The key of a row of `device_token`: a token, a device that registered it, and for what.
package struct TokenKey: Hashable, Sendable {
    package var app: Int32
    /// The empty string where an answer names no device.
    package var device: Symbol
    package var use: TokenUse
    package var token: Symbol

    package init(app: Int32, device: Symbol, use: TokenUse, token: Symbol) {
        self.app = app
        self.device = device
        self.use = use
        self.token = token
    }

    package var id: TokenID { TokenID(app: app, token: token) }
    package var owner: TokenDevice { TokenDevice(app: app, device: device) }
    package var held: HeldToken { HeldToken(owner: owner, token: token) }
    package var providerToken: ProviderToken { ProviderToken(id: id, provider: use.provider) }
}
