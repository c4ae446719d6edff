internal import Foundation

/// Where people open the page, for links in what is delivered.
public struct PageAddress: Sendable {
    private let url: String

    /// - Parameter url: with a slash at its end, or without.
    public init(_ url: String) {
        self.url = url.hasSuffix("/") ? url : url + "/"
    }

    /// The URL of a view of the page.
    ///
    /// - Parameters:
    ///   - view: the view's name in the page.
    ///   - parameter: the name of its only parameter.
    ///   - value: the parameter's value.
    public func link(to view: String, _ parameter: String, _ value: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let encoded = value.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return "\(url)#/\(view)?\(parameter)=\(encoded)"
    }
}
