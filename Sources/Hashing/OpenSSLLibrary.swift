internal import CLibCrypto

/// OpenSSL's library as a whole, which libpq uses too.
public enum OpenSSLLibrary {
    /// Leaves what it holds to the system when the process ends.
    ///
    /// Its own clean-up at exit frees what threads still use that end at the same moment, as those of closed connections do: one
    /// process in some hundreds ended with SIGSEGV after its work was done. To be called before anything uses OpenSSL.
    public static func skipCleanUpAtExit() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
