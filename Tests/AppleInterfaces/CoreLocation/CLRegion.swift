// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// Apple: CLRegion, as far as NotilogClient reads it.
open class CLRegion: NSObject {
    open var notifyOnEntry = true
    open var notifyOnExit = true
}
