#ifndef NOTILOG_CLIBPQ_SHIM_H
#define NOTILOG_CLIBPQ_SHIM_H

// libpq's own header, found through pkg-config; nothing is added to it.
#include <libpq-fe.h>

#endif
