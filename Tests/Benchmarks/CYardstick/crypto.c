// The public-key operations of a token and of sealing, with contexts that are made once: their least possible cost.
#include "yardstick.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static EVP_PKEY_CTX *deriving(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    return context && EVP_PKEY_derive_init(context) == 1 ? context : NULL;
}

static int derive(EVP_PKEY_CTX *context, EVP_PKEY *peer) {
    unsigned char secret[32];
    size_t count = sizeof secret;
    return EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1 && EVP_PKEY_derive(context, secret, &count) == 1;
}

// A context that makes keys on P-256.
static EVP_PKEY_CTX *generator(void) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    return EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_group_name(context, "P-256") == 1 ? context : NULL;
}

int64_t yardstick_sealing(int64_t count) {
    EVP_PKEY *receiver = EVP_EC_gen("P-256");
    EVP_PKEY_CTX *generating = generator();
    EVP_PKEY_CTX *opening = deriving(receiver);
    if (!generating || !opening) return -1;
    int64_t begin = now();
    for (int64_t index = 0; index < count; index++) {
        EVP_PKEY *key = NULL;
        if (EVP_PKEY_generate(generating, &key) != 1) return -1;
        EVP_PKEY_CTX *sealing = deriving(key);
        if (!derive(sealing, receiver) || !derive(opening, key)) return -1;
        EVP_PKEY_CTX_free(sealing);
        EVP_PKEY_free(key);
    }
    int64_t time = now() - begin;
    EVP_PKEY_CTX_free(opening);
    EVP_PKEY_CTX_free(generating);
    EVP_PKEY_free(receiver);
    return time;
}

// A key, a signature of it over `digest`, and a context that verifies it.
static EVP_PKEY_CTX *verifying(EVP_PKEY *key, const unsigned char *digest, unsigned char *signature, size_t *count) {
    EVP_PKEY_CTX *signing = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (EVP_PKEY_sign_init(signing) != 1 || EVP_PKEY_verify_init(context) != 1) return NULL;
    EVP_PKEY_CTX_set_signature_md(signing, EVP_sha256());
    EVP_PKEY_CTX_set_signature_md(context, EVP_sha256());
    int isSigned = EVP_PKEY_sign(signing, signature, count, digest, 32) == 1;
    EVP_PKEY_CTX_free(signing);
    return isSigned ? context : NULL;
}

int64_t yardstick_ec_token(int64_t count) {
    unsigned char digest[32] = {1}, signature[256];
    size_t size = sizeof signature;
    EVP_PKEY *signer = EVP_EC_gen("P-256"), *merchant = EVP_EC_gen("P-256"), *peer = EVP_EC_gen("P-256");
    EVP_PKEY_CTX *context = verifying(signer, digest, signature, &size);
    EVP_PKEY_CTX *agreeing = deriving(merchant);
    if (!context || !agreeing) return -1;
    int64_t begin = now();
    for (int64_t index = 0; index < count; index++)
        if (EVP_PKEY_verify(context, signature, size, digest, 32) != 1 || !derive(agreeing, peer)) return -1;
    int64_t time = now() - begin;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_CTX_free(agreeing);
    EVP_PKEY_free(signer);
    EVP_PKEY_free(merchant);
    EVP_PKEY_free(peer);
    return time;
}

int64_t yardstick_payment(int64_t count) {
    unsigned char digest[32] = {1}, signature[256];
    size_t size = sizeof signature;
    EVP_PKEY *signer = EVP_EC_gen("P-256"), *merchant = EVP_EC_gen("P-256"), *peer = EVP_EC_gen("P-256");
    EVP_PKEY_CTX *context = verifying(signer, digest, signature, &size);
    EVP_PKEY_CTX *agreeing = deriving(merchant);
    EVP_PKEY_CTX *generating = generator();
    if (!context || !agreeing || !generating) return -1;
    int64_t begin = now();
    for (int64_t index = 0; index < count; index++) {
        for (int part = 0; part < 2; part++)
            if (EVP_PKEY_verify(context, signature, size, digest, 32) != 1) return -1;
        EVP_PKEY *key = NULL;
        if (!derive(agreeing, peer) || EVP_PKEY_generate(generating, &key) != 1) return -1;
        EVP_PKEY_CTX *sealing = deriving(key);
        if (!derive(sealing, peer)) return -1;
        EVP_PKEY_CTX_free(sealing);
        EVP_PKEY_free(key);
    }
    int64_t time = now() - begin;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_CTX_free(agreeing);
    EVP_PKEY_CTX_free(generating);
    EVP_PKEY_free(signer);
    EVP_PKEY_free(merchant);
    EVP_PKEY_free(peer);
    return time;
}

static EVP_PKEY_CTX *oaep(EVP_PKEY *key, int (*prepare)(EVP_PKEY_CTX *)) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (prepare(context) != 1 || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) != 1) return NULL;
    EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256());
    EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256());
    return context;
}

int64_t yardstick_rsa_token(int64_t count) {
    unsigned char digest[32] = {1}, signature[256], key[16] = {2}, wrapped[256], opened[256];
    size_t size = sizeof signature, wrappedSize = sizeof wrapped;
    EVP_PKEY *signer = EVP_RSA_gen(2048), *merchant = EVP_RSA_gen(2048);
    EVP_PKEY_CTX *context = verifying(signer, digest, signature, &size);
    EVP_PKEY_CTX *wrapping = oaep(merchant, EVP_PKEY_encrypt_init);
    EVP_PKEY_CTX *unwrapping = oaep(merchant, EVP_PKEY_decrypt_init);
    if (!context || EVP_PKEY_encrypt(wrapping, wrapped, &wrappedSize, key, sizeof key) != 1) return -1;
    int64_t begin = now();
    for (int64_t index = 0; index < count; index++) {
        size_t openedSize = sizeof opened;
        if (EVP_PKEY_verify(context, signature, size, digest, 32) != 1 ||
            EVP_PKEY_decrypt(unwrapping, opened, &openedSize, wrapped, wrappedSize) != 1)
            return -1;
    }
    int64_t time = now() - begin;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_CTX_free(wrapping);
    EVP_PKEY_CTX_free(unwrapping);
    EVP_PKEY_free(signer);
    EVP_PKEY_free(merchant);
    return time;
}

int64_t yardstick_charge(int64_t count) {
    unsigned char digest[32] = {1}, signature[256];
    size_t size = sizeof signature;
    EVP_PKEY *key = EVP_RSA_gen(2048);
    EVP_PKEY_CTX *context = verifying(key, digest, signature, &size);
    EVP_PKEY_CTX *signing = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (!context || EVP_PKEY_sign_init(signing) != 1) return -1;
    EVP_PKEY_CTX_set_signature_md(signing, EVP_sha256());
    int64_t begin = now();
    for (int64_t index = 0; index < count; index++) {
        for (int request = 0; request < 2; request++) {
            size = sizeof signature;
            if (EVP_PKEY_sign(signing, signature, &size, digest, 32) != 1) return -1;
        }
        for (int answer = 0; answer < 4; answer++)
            if (EVP_PKEY_verify(context, signature, size, digest, 32) != 1) return -1;
    }
    int64_t time = now() - begin;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_CTX_free(signing);
    EVP_PKEY_free(key);
    return time;
}
