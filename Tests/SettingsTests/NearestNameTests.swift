import Settings
import Testing

struct NearestNameTests {
    @Test(arguments: [("lable", "label"), ("att", "at"), ("to", nil), ("", nil)])
    func aNameIsNearIfItIsMisspelt(_ name: String, _ nearest: String?) {
        #expect(name.nearest(of: ["label", "at"]) == nearest)
    }
}
