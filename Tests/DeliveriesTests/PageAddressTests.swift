import Deliveries
import Testing

@Suite("Deliveries: links")
struct PageAddressTests {
    @Test(
        "a link names a view of the page, wherever that is, and whatever is in a name",
        arguments: [
            ("https://page.example", "news", "https://page.example/#/alerts?rule=news"),
            ("https://page.example/n/", "a & b/ü", "https://page.example/n/#/alerts?rule=a%20%26%20b%2F%C3%BC"),
        ]
    )
    func links(_ url: String, _ rule: String, _ link: String) {
        #expect(PageAddress(url).link(to: "alerts", "rule", rule) == link)
    }
}
