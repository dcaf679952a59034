#ifndef ORCHARD_COPENSSL_SHIM_H
#define ORCHARD_COPENSSL_SHIM_H
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Macros that Swift does not import. */
static inline long orchard_bio_memory(BIO *bio, char **start) { return BIO_get_mem_data(bio, start); }
static inline void orchard_free(void *memory) { OPENSSL_free(memory); }
static inline void orchard_clear_free(void *memory, size_t count) { OPENSSL_clear_free(memory, count); }
#endif
