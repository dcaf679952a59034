#pragma once

// jemalloc(3) reads its options here.
extern const char *malloc_conf;
