import Foundation
import Testing

/// The page in headless Chromium, driven as people use it, and Grafana's files against a database and a Prometheus:
/// Tests/Dashboards/check.py.
@Suite(.serialized)
struct DashboardUseTests {
    private static let checks = [
        "is_what_grafana_knows", "alerts_when_it_should", "shows_every_report", "gives_rows_for_every_query",
        "gives_series_for_every_expression", "colours_what_is_wrong", "gives_every_unit",
        "begins_and_ends_with_an_interval", "compares_by_the_split", "asks_no_alert_of_a_few", "signs_in",
        "signs_in_by_a_link", "opens_every_view", "fills_its_panels", "shows_the_reports_figures",
        "follows_the_range_and_the_category", "takes_days_that_are_typed", "keeps_the_range_in_sight",
        "shows_the_same_by_its_link", "downloads_what_is_seen",
        "is_used_by_keyboard", "follows_a_device_to_its_events", "follows_a_figure_to_its_notifications",
        "keeps_the_session_in_a_tab_of_a_link", "offers_what_applies", "says_one_thing_by_one_name",
        "keeps_empty_intervals", "hatches_what_is_not_complete", "draws_intervals_of_single_points",
        "shades_hours_by_what_is_sure", "judges_experiments", "judges_what_does_not_vary",
        "doubts_what_hardly_varies", "takes_another_split", "draws_frequency_with_its_doubts",
        "counts_changes_of_new_devices", "bounds_its_rows",
        "leaves_room_beside_a_long_name",
        "keeps_the_order_beside_a_reversed_name", "shows_a_name_of_nothing", "compares_campaigns_with_the_usual",
        "shows_a_campaign_with_its_variants", "keeps_a_view_to_its_one",
        "marks_a_campaign_that_the_range_cuts", "says_how_figures_changed",
        "draws_the_range_before", "compares_with_what_was_recorded", "compares_the_same_time_of_day",
        "names_what_changed", "breaks_a_rate_down", "says_what_an_experiment_comes_to",
        "defines_its_words_for_everybody", "exports_a_view_from_one_menu", "says_what_an_address_cannot_mean",
        "lists_a_device_by_notification",
        "shows_a_phone_the_rate_first", "speaks_chinese", "fits_a_phone",
        "has_no_violation", "comes_with_little", "says_nothing_is_wrong",
        "says_what_is_empty_and_what_failed", "says_what_a_new_app_lacks", "waits_where_a_key_asks_for_too_much",
        "keeps_what_is_there_where_the_rest_fails", "asks_for_a_key_where_one_counts_no_more",
        "survives_the_loss_of_the_service", "draws_what_the_address_names", "draws_annotations", "shows_saved_views",
        "offers_own_dimensions",
        "shows_alerts_and_rules", "lets_a_reader_make_nothing", "watches_a_figure", "resolves_an_alert",
        "annotates_where_it_is_clicked", "annotates_by_keyboard", "saves_a_view", "makes_in_a_form_for_all",
        "breaks_every_rate_down", "says_what_came_of_campaigns",
        "says_what_became_of_one", "names_a_release_that_hears_less", "shows_what_conversions_are_worth",
        "says_what_chance_does", "says_which_outcomes_are_to_come",
        "watches_any_row", "shows_a_view_in_words", "mails_a_view", "moves_with_the_time", "draws_the_next_day",
        "asks_nothing_while_nobody_looks", "goes_on_beside_a_slow_report", "leaves_what_is_the_same",
        "keeps_the_place_in_newer_figures", "leaves_a_list_that_goes_on", "draws_charts_once_it_can",
    ]

    @Test(.timeLimit(.minutes(35))) func bothKindsShowWhatTheReportsSay() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("dashboards", in: database)
            let empty = try await TestApp.make("empty", in: database)
            let given: [String: Any] = [
                "command": NotilogCommand.path,
                "app": app.name,
                "database": database.url,
                "keys": [
                    "write": app.write, "provider": app.provider, "read": app.read, "admin": app.admin,
                    "empty": empty.read,
                ],
                "packages": try ProgramRun.packages(),
            ]
            let configuration = String(decoding: try JSONSerialization.data(withJSONObject: given), as: UTF8.self)
            let run = try await ProgramRun.run(
                "Dashboards/check.py",
                environment: ["NOTILOG_DASHBOARD_TEST": configuration],
                limit: .seconds(1_800)
            )
            run.expect(Self.checks)
            if ProcessInfo.processInfo.environment["NOTILOG_DASHBOARD_VERBOSE"] != nil { print(run.errors) }
        }
    }
}
