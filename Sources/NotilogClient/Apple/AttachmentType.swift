#if canImport(UniformTypeIdentifiers) && canImport(UserNotifications) && !os(tvOS)
    import UniformTypeIdentifiers

    extension Notilog.Content {
        /// The kind of media that a type conforms to, as one of the vocabulary's types; the type itself if it conforms
        /// to none.
        static func mediaType(_ identifier: String) -> String {
            guard let type = UTType(identifier) else { return identifier }
            if type.conforms(to: .image) { return "public.image" }
            // Audio and video are both audiovisual content; a movie may hold sound.
            if type.conforms(to: .audio) { return "public.audio" }
            return type.conforms(to: .movie) || type.conforms(to: .video) ? "public.movie" : identifier
        }
    }
#endif
