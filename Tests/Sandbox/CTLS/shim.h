#ifndef ORCHARD_CTLS_SHIM_H
#define ORCHARD_CTLS_SHIM_H
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#endif
