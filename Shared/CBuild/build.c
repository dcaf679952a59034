#include "orchard_build.h"

#ifndef ORCHARD_COMMIT
#define ORCHARD_COMMIT "unknown"
#endif

const char *orchard_build_commit(void) { return ORCHARD_COMMIT; }
