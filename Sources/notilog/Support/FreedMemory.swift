import CMalloc

/// Memory that was freed, of which the C library keeps some for what is allocated next.
enum FreedMemory {
    /// Gives the largest blocks back to the system as they are freed, such as what a large body is decoded into: else each burst of them
    /// leaves more. With 128 KiB, ingest would pay for new pages with every batch, two fifths of its rate.
    static func returnsToSystem() {
        notilog_set_malloc_thresholds(1 << 20, 4 << 20)
    }
}
