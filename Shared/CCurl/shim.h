#ifndef ORCHARD_CCURL_SHIM_H
#define ORCHARD_CCURL_SHIM_H
#include <curl/curl.h>
#endif
