internal import HTTPTypes

/// The headers of every file of the dashboard: a browser may run and load only files of this service, and may not frame the
/// page.
enum DashboardHeaders {
    /// Content Security Policy Level 3, with Trusted Types: no text becomes markup or code.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")

    /// Fields that HTTPTypes has no names for.
    private static let others = [
        ("Content-Security-Policy", policy),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]

    static func add(to headers: inout HTTPFields) {
        for (name, value) in others {
            guard let name = HTTPField.Name(name) else { continue }
            headers[name] = value
        }
    }
}
