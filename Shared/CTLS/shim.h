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

/* How many more reads of the socket the current call may do. A record takes two. OpenSSL itself goes on for as long as
 * records come that carry no data, such as updates of keys: a client that sends nothing else would keep its loop. */
static inline long orchard_tls_count(
    BIO *bio, int operation, const char *bytes, size_t length, int number, long word, int result, size_t *processed) {
    (void)bytes, (void)length, (void)number, (void)word, (void)processed;
    if (operation != BIO_CB_READ) return result;
    uintptr_t left = (uintptr_t)BIO_get_callback_arg(bio);
    if (left == 0) {
        BIO_clear_retry_flags(bio);
        BIO_set_retry_read(bio);
        return -1;
    }
    BIO_set_callback_arg(bio, (char *)(left - 1));
    return result;
}
static inline void orchard_tls_allow_reads(SSL *session, uintptr_t count) {
    BIO_set_callback_arg(SSL_get_rbio(session), (char *)count);
}
static inline void orchard_tls_count_reads(SSL *session) {
    BIO_set_callback_ex(SSL_get_rbio(session), orchard_tls_count);
}
static inline int orchard_tls_has_read_all_allowed(SSL *session) {
    return BIO_get_callback_arg(SSL_get_rbio(session)) == NULL;
}
static const uint64_t orchard_tls_options =
    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
#endif
