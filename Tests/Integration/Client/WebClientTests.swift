import Foundation
import Testing

/// The client for web push in headless Chromium, against the service: Tests/WebClient/check.py.
@Suite(.serialized)
struct WebClientTests {
    @Test(.timeLimit(.minutes(12)))
    func recordsWhatHappensInABrowser() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("site", in: database)
            let given: [String: Any] = [
                "command": NotilogCommand.path,
                "database": database.url,
                "keys": ["write": app.write, "read": app.read], "app": app.name,
            ]
            let configuration = String(decoding: try JSONSerialization.data(withJSONObject: given), as: UTF8.self)
            let run = try await ProgramRun.run(
                "WebClient/check.py",
                environment: ["NOTILOG_WEB_CLIENT_TEST": configuration],
                limit: .seconds(600)
            )
            run.expect([
                "records_permission", "records_what_a_push_showed", "records_clicks_and_closes",
                "keeps_what_is_not_taken", "doubles_nothing", "says_what_is_refused", "obeys_consent",
                "counts_in_the_report", "plays_the_vectors", "asks_the_browser_to_try_again",
                "asks_for_a_sync_on_a_page_too", "waits_as_long_as_asked",
                "counts_a_notification_without_a_sound_as_seen", "takes_a_closed_question_for_no_answer",
                "sends_nothing_after_the_consent", "takes_no_failure_to_record_for_one_of_the_call",
                "opens_its_store_again", "keeps_what_came_after_its_store_was_deleted",
                "keeps_all_where_everything_is_refused", "refuses_data_that_is_no_object",
                "repeats_the_id_of_what_is_shown", "makes_no_device_id_before_the_consent", "takes_another_device_id",
            ])
        }
    }
}
