#ifndef NOTILOG_CLIBCRYPTO_SHIM_H
#define NOTILOG_CLIBCRYPTO_SHIM_H

// OpenSSL's digests, found through pkg-config. The plain structs of SHA-1 and SHA-256, which need no allocation for each
// event, are marked as deprecated in favour of contexts that do.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

#endif
