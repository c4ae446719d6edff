import Administration
import ArgumentParser
import Digests
import EventLog
import Schema

/// The options of commands on one digest.
struct ChosenDigest: ParsableArguments {
    @OptionGroup var chosen: AppOptions
    @Argument(help: "The digest's number, as `notilog digests list` shows it.")
    var id: Int64

    /// Changes it.
    ///
    /// - Throws: ``CommandFailure`` if the app has no such digest.
    func change(_ body: (DigestStore, Int64, AppID) async throws -> Bool) async throws {
        let exists = try await chosen.withPool(needs: .writer, writes: true) {
            try await body(DigestStore($0), id, $1.id)
        }
        guard exists else { throw CommandFailure("the app has no digest \(id): see `notilog digests list`") }
    }
}
