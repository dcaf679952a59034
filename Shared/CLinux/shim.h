#pragma once

// SCHED_BATCH, which Swift's Glibc module leaves out.
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/random.h>

// prctl(2) is variadic, which Swift cannot call.
static inline int orchard_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
static inline int orchard_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// getrandom(2), which Swift's Glibc module leaves out: as many bytes as were given, negative on failure.
static inline long orchard_random(void *bytes, unsigned long count) { return getrandom(bytes, count, 0); }
