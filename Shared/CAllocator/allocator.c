#include "orchard_allocator.h"

// Pages that are not used go back to the system after a second, also when the process rests: an order-ledger that was far behind
// gets small again. As many arenas as jemalloc takes by itself on two cores: the memory limits in deploy/ also hold on large machines.
const char *malloc_conf = "background_thread:true,dirty_decay_ms:1000,narenas:8";
