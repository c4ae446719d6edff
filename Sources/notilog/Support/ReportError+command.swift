import ArgumentParser
import Reports

extension ReportError {
    /// As a command throws it. What was asked wrongly is an error of usage (exit code 64), so that a script can tell it from
    /// a report that failed (1).
    var ofCommand: any Error {
        switch code {
        case .unknownReport, .unknownParameter, .invalidParameter, .unknownPosition: ValidationError(message)
        default: CommandFailure(message)
        }
    }
}
