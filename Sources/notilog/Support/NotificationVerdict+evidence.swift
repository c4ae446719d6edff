import Administration
import Foundation
import NotificationEvents

extension NotificationVerdict.Link {
    /// Positions of events, then periods, for people.
    func evidenceText() throws -> String {
        let all = try JSONDecoder().decode([Evidence].self, from: Data(evidence.utf8))
        let positions = all.compactMap(\.position).map(String.init).joined(separator: ", ")
        return ([positions].filter { !$0.isEmpty } + all.compactMap(\.period)).joined(separator: "; ")
    }

    private enum Evidence: Decodable {
        struct Period: Decodable {
            var from: String
            var to: String?
        }
        case position(Int64)
        case period(Period)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let position = try? value.decode(Int64.self) {
                self = .position(position)
            } else {
                self = .period(try value.decode(Period.self))
            }
        }

        var position: Int64? { if case .position(let position) = self { position } else { nil } }

        var period: String? {
            guard case .period(let period) = self else { return nil }
            return Self.time(period.from) + (period.to.map { " to " + Self.time($0) } ?? " on")
        }

        /// In UTC, as all times of commands.
        private static func time(_ text: String) -> String {
            Timestamp.parse(text)?.timestamp.description ?? text
        }
    }
}
