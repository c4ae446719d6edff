/// The error strings of Apple's "Handling notification responses from APNs", with their status.
enum APNsReason {
    static let documented: [(status: Int, reason: String)] = [
        (400, "BadCollapseId"), (400, "BadDeviceToken"), (400, "BadExpirationDate"), (400, "BadMessageId"),
        (400, "BadPriority"), (400, "BadTopic"), (400, "DeviceTokenNotForTopic"), (400, "DuplicateHeaders"),
        (400, "IdleTimeout"), (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "MissingTopic"),
        (400, "PayloadEmpty"), (400, "TopicDisallowed"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"),
        (403, "BadEnvironmentKeyIdInToken"), (403, "ExpiredProviderToken"), (403, "Forbidden"),
        (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "UnrelatedKeyIdInToken"),
        (404, "BadPath"), (405, "MethodNotAllowed"), (410, "ExpiredToken"), (410, "Unregistered"),
        (413, "PayloadTooLarge"), (429, "TooManyProviderTokenUpdates"), (429, "TooManyRequests"),
        (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"),
    ]

    /// Makes a push such that APNs finds this wrong with it; `false` where only Apple can know.
    static func provoke(_ reason: String, _ push: inout Push) -> Bool {
        switch reason {
        case "BadCollapseId": push.headers.append(("apns-collapse-id", String(repeating: "c", count: 65)))
        case "BadExpirationDate": push.headers.append(("apns-expiration", "tomorrow"))
        case "BadMessageId": push.headers.append(("apns-id", "17"))
        case "BadPriority": push.headers.append(("apns-priority", "7"))
        case "DuplicateHeaders": push.headers.append(("apns-topic", "com.example.other"))
        case "InvalidPushType": push.headers = [("apns-topic", "com.example.app"), ("apns-push-type", "shout")]
        case "MissingDeviceToken": push.path = "/3/device/"
        case "MissingTopic": push.headers.removeAll { $0.0 == "apns-topic" }
        case "PayloadEmpty": push.payload = ""
        case "MissingProviderToken": push.isAuthorized = false
        case "BadPath": push.path = "/4/device/\(push.token)"
        case "MethodNotAllowed": push.method = "PUT"
        case "PayloadTooLarge": push.payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 4096))"}}"#
        default: return false
        }
        return true
    }
}
