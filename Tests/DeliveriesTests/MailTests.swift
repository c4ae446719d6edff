import Foundation
import Testing

@testable import Deliveries

@Suite("Deliveries: mail")
struct MailTests {
    private static func mail(_ page: MailPage? = nil) -> String {
        Mail(
            id: "7d9b",
            from: "a@example.com",
            to: "b@example.com",
            subject: "shop: é\r\nBcc: c@example.com" + String(repeating: "x", count: 90),
            text: [".", "€"],
            page: page
        ).message(at: Date(timeIntervalSince1970: 1_790_000_000))
    }

    @Test("a mail names itself, and its subject ends no line")
    func head() {
        let text = Self.mail()
        #expect(
            text.contains("Message-ID: <7d9b@notilog>\r\n")
                && text.contains("Date: Mon, 21 Sep 2026 14:13:20 +0000\r\n")
        )
        #expect(!text.contains("\r\nBcc:") && text.hasSuffix("\r\n"))
        #expect(text.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 78 && $0 != "." })
    }

    @Test("another code than the expected one is told with what it answers")
    func unexpectedCode() {
        #expect(
            DeliveryFailure(answer: 535, to: "AUTH PLAIN", expected: [235]).description
                == "the mail server answered AUTH PLAIN with code 535, not 235"
        )
        #expect(
            DeliveryFailure(answer: 550, to: "RCPT TO", expected: [250, 251]).description
                == "the mail server answered RCPT TO with code 550, not 250 or 251"
        )
    }

    @Test("a mail with a page has it beside the text, and its images within")
    func parts() {
        let page = MailPage(
            html: "<p>.</p>",
            images: [MailPage.Image(id: "chart@notilog", png: [UInt8](repeating: 0xfb, count: 200))]
        )
        let lines = Self.mail(page).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0 != "." })
        let types = lines.filter { $0.hasPrefix("Content-Type:") }.map { $0.dropFirst(14).prefix { $0 != ";" } }
        #expect(types == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"])
        #expect(lines.filter { $0 == "--related-7d9b--" || $0 == "--alternative-7d9b--" }.count == 2)
        #expect(lines.contains("Content-ID: <chart@notilog>"))
    }
}
