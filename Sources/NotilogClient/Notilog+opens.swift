import Foundation

extension Notilog {
    /// Records `app_open` each time the app comes to the foreground.
    func followOpens() {
        let opens = Guarded(AppOpens(began: options.clock.now))
        let observers = AppOpens.signals.map { name, signal in
            Lifecycle(options.notifications, [name]) { [weak self] in
                guard let self else { return }
                let now = options.clock.now
                guard let open = opens.withLock({ $0.open(signal, at: now) }) else { return }
                recordAppOpen(open.source, isCold: open.isCold)
            }
        }
        lifecycles.withLock { $0 += observers }
    }
}
