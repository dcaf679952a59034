#ifndef ORCHARD_CTLS_SHIM_H
#define ORCHARD_CTLS_SHIM_H
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/* Macros that Swift does not import. */
static inline int orchard_tls_from_1_2(SSL_CTX *context) { return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION); }
static inline int orchard_tls_groups(SSL_CTX *context, const char *names) { return SSL_CTX_set1_groups_list(context, names); }
static inline void orchard_tls_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}
static inline void orchard_tls_keep_no_sessions(SSL_CTX *context) { SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); }
static const uint64_t orchard_tls_options =
    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
#endif
