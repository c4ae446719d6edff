import Administration
import ArgumentParser
import Deliveries
import NotificationEvents
import Schema

/// The options of commands that list deliveries.
struct DeliveryList: ParsableArguments {
    @OptionGroup var chosen: AppOptions
    @Flag(name: .customLong("json"), help: "Write the deliveries as JSON.")
    var asJSON = false

    private struct Output: Encodable {
        var id: String
        var source: String
        var day: String
        var receiver: String
        var state: String
        var attempts: Int32
        var nextAt: String
        var lastError: String?
        var createdAt: String
        var endedAt: String?
    }

    /// Prints the newest deliveries.
    ///
    /// - Parameters:
    ///   - source: of alerts, or of digests.
    ///   - title: the title of the column that says what made them.
    func print(_ kind: Outbox.Source, source title: String) async throws {
        let deliveries = try await chosen.withPool(needs: .writer) {
            try await Outbox($0).deliveries(app: $1.id, of: kind)
        }
        let rows = deliveries.map { delivery in
            Output(
                id: delivery.id,
                source: delivery.source,
                day: delivery.day,
                receiver: delivery.receiver,
                state: delivery.state,
                attempts: delivery.attempts,
                nextAt: delivery.nextAt.description,
                lastError: delivery.lastError,
                createdAt: delivery.createdAt.description,
                endedAt: delivery.endedAt?.description
            )
        }
        try TextTable(
            rows,
            [
                "ID": { $0.id }, title: { $0.source }, "DAY": { $0.day }, "TO": { $0.receiver },
                "STATE": { $0.state }, "ATTEMPTS": { String($0.attempts) }, "ERROR": { $0.lastError ?? "" },
            ]
        ).print(asJSON: asJSON)
    }
}
