import Foundation
import Postgres

/// The result of `notilog.diagnosis()`: facts about the log and its projections.
struct Diagnosis: Decodable, Sendable {
    struct Log: Decodable, Sendable {
        var drawn: Int64
        var settled: Int64
        var highest: Int64
        var openEpochs: Int64
        var unsettledSeconds: Double?
    }

    struct Partition: Decodable, Sendable {
        var name: String
        var isDefault: Bool
        /// Seconds since 1970; nil for the default partition.
        var fromSeconds: Double?
        var toSeconds: Double?
        var bytes: Int64
    }

    struct Quarantine: Decodable, Sendable {
        var items: Int64
        var lastDay: Int64
        var oldestDays: Double?
        /// What each app's items take of its room.
        var apps: [Usage]

        struct Usage: Decodable, Sendable {
            var name: String
            var items: Int64
            var bytes: Int64
        }
    }

    struct App: Decodable, Sendable {
        var name: String
        var hashIds: Bool
        var scopes: [String]
    }

    struct Checkpoint: Decodable, Sendable {
        var name: String
        var position: Int64
    }

    struct SetAside: Decodable, Sendable {
        var name: String
        var events: Int64
        var firstPosition: Int64
        var error: String
    }

    /// To how many receivers rules of alerts and digests are delivered.
    struct Receivers: Decodable, Sendable {
        var all: Int64
        var mails: Int64
        var webhooks: Int64
        /// Deliveries that are tried again.
        var failing: Int64
        /// Deliveries that were given up in the last seven days.
        var givenUp: Int64
        /// Rules whose next day could not be judged.
        var unjudged: Int64
        /// Digests that could not be made.
        var unmade: Int64
    }

    struct Reader: Decodable, Sendable {
        var role: String
        var exists: Bool
        var isUnbound: Bool
    }

    var log: Log
    var partitions: [Partition]
    var quarantine: Quarantine
    var pendingErasures: Int64
    var apps: [App]
    var checkpoints: [Checkpoint]
    var setAside: [SetAside]
    var readers: [Reader]
    /// Whether readers may store large objects and logical messages.
    var readersStore: Bool
    var receivers: Receivers
    var missingRights: [String]
    var superfluousRights: [String]
}

/// The result of `notilog.server_diagnosis()`: facts about the server.
struct ServerDiagnosis: Decodable, Sendable {
    struct IdleTransaction: Decodable, Sendable {
        var pid: Int32
        var login: String?
        var application: String?
        var isIdle: Bool
        var seconds: Double
    }

    struct BlockingSession: Decodable, Sendable {
        var pid: Int32
        var login: String?
        var application: String?
        /// The number of sessions that wait for it.
        var waiting: Int
        /// How long the first of them has waited.
        var seconds: Double
    }

    struct Slot: Decodable, Sendable {
        var name: String
        var active: Bool
        var status: String?
        var bytes: Int64?
    }

    var inRecovery: Bool
    var encoding: String
    var seesSessions: Bool
    var connections: Int64
    var connectionLimit: Int64
    var transactionAge: Int64
    var idleTransactions: [IdleTransaction]
    var blocking: [BlockingSession]
    var preparedTransactions: Int64
    var slots: [Slot]
    var standbyMissing: Bool
    var neverVacuumed: [String]
}

/// A session of `notilog.lock_diagnosis()`.
struct LockHolder: Decodable, Sendable {
    /// The table for which others wait.
    var relation: String
    var pid: Int32
    var login: String?
    var application: String?
    /// The age of its transaction; nil if this login does not see it.
    var seconds: Double?
}

extension Pool {
    /// The JSON that a function of the schema `notilog` returns.
    func facts<Facts: Decodable>(
        _ function: String,
        _ parameters: [Parameter] = [],
        as type: Facts.Type
    ) async throws -> Facts {
        let text = try await query("SELECT notilog.\(function)::text", parameters).only().get(0, as: String.self)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
