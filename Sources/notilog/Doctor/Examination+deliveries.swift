import Deliveries
import Service

extension Examination {
    /// Whether what rules of alerts and digests make can be delivered: else it would be known when an alert goes out.
    func deliveries(_ receivers: Diagnosis.Receivers) async -> [Finding] {
        [
            webhooks(receivers.webhooks), await mail(receivers.mails), failures(receivers),
            rules(receivers.unjudged), digests(receivers.unmade), links(receivers.all),
        ]
    }

    /// Whoever gets a message is seldom at the service's machine, where the default leads to.
    private func links(_ receivers: Int64) -> Finding {
        let page = settings.service.deliveries.pageURL
        guard receivers > 0, !settings.isGiven("delivery.page_url") else {
            return .ok("links", "links of alerts and digests lead to \(page)")
        }
        return .warn(
            "links",
            "links of alerts and digests lead to \(page), because delivery.page_url is not set",
            "set NOTILOG_DELIVERY_PAGE_URL for the service to where people open the page"
        )
    }

    private func rules(_ unjudged: Int64) -> Finding {
        guard unjudged > 0 else { return .ok("alerts", "each rule is judged") }
        return .warn(
            "alerts",
            "\(unjudged) \(unjudged == 1 ? "rule" : "rules") could not be judged",
            "see why with `notilog alerts list`, for each app"
        )
    }

    private func digests(_ unmade: Int64) -> Finding {
        guard unmade > 0 else { return .ok("digests", "each can be made") }
        return .warn(
            "digests",
            "\(unmade) \(unmade == 1 ? "digest" : "digests") could not be made",
            "see why with `notilog digests list`, for each app"
        )
    }

    private func failures(_ receivers: Diagnosis.Receivers) -> Finding {
        guard receivers.failing > 0 || receivers.givenUp > 0 else { return .ok("deliveries", "none fails") }
        return .warn(
            "deliveries",
            "\(receivers.failing) failed and will be tried again, \(receivers.givenUp) were given up in the last 7 days",
            "see why with `notilog alerts deliveries` and `notilog digests deliveries`, and check those receivers"
        )
    }

    private func webhooks(_ count: Int64) -> Finding {
        let shown = "\(count) \(count == 1 ? "receiver" : "receivers") of webhooks"
        guard count > 0, !settings.service.deliveries.signsWebhooks else { return .ok("webhooks", shown) }
        return .warn(
            "webhooks",
            "\(shown), and delivery.webhook_secret is not set",
            "set it for the service: webhooks are not delivered unsigned"
        )
    }

    private func mail(_ count: Int64) async -> Finding {
        let shown = "\(count) \(count == 1 ? "receiver" : "receivers") of mail"
        let deliveries = settings.service.deliveries
        guard let server = deliveries.mailServer else {
            guard count > 0 else { return .ok("mail", shown) }
            return .warn(
                "mail",
                "\(shown), and mail.host is not set",
                "set it and mail.from for the service: until then alerts and digests wait for three days, and are lost"
            )
        }
        do {
            guard let problem = try await deliveries.mailProblem() else {
                return .ok("mail", "\(shown), \(server) answers")
            }
            return .warn(
                "mail",
                "\(shown), \(server): \(problem)",
                "check the settings mail.* and whether the server runs"
            )
        } catch {
            return .fail("mail", error.description, "`notilog serve` does not start until it is fixed")
        }
    }
}
