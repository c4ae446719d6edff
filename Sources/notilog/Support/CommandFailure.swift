/// Why a command failed: one sentence that says what to do next. The exit code is 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
