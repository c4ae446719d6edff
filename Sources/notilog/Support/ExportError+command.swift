import ArgumentParser
import Exports

extension ExportError {
    /// As a command throws it: a name that is none is an error of usage (exit code 64).
    var ofCommand: any Error {
        switch code {
        case .unknownDataset, .unknownFormat, .invalidCursor: ValidationError(message)
        default: CommandFailure(message)
        }
    }
}
