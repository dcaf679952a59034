#ifndef ORCHARD_CCURL_SHIM_H
#define ORCHARD_CCURL_SHIM_H
#include <curl/curl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// setopt and getinfo are variadic, which Swift cannot call. Result codes are given as integers, because libcurl adds to
// its enums.

static inline int orchard_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline int orchard_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline int orchard_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
// For buffers and lists that must live as long as the transfer, and for callbacks' contexts.
static inline int orchard_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
// Bytes that libcurl reads in place: they must live until the handle is reset.
static inline int orchard_lend(CURL *easy, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob);
}
static inline int orchard_set_data_callback(
    CURL *easy, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, option, callback);
}
static inline int orchard_set_prerequisite(CURL *easy, int (*callback)(void *, char *, char *, int, int)) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
static inline int orchard_set_open_socket(
    CURL *easy, curl_socket_t (*callback)(void *, curlsocktype, struct curl_sockaddr *)) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
// The address that libcurl is about to connect; its length depends on the family.
static inline const void *orchard_address(const struct curl_sockaddr *address) { return &address->addr; }
static inline int orchard_set_close_socket(CURL *easy, int (*callback)(void *, curl_socket_t)) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}
static inline int orchard_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
// What libcurl says of its sockets and of its time, instead of being asked with all its transfers at each turn.
static inline void orchard_multi_set_events(
    CURLM *multi, int (*socket)(CURL *, curl_socket_t, int, void *, void *), int (*timer)(CURLM *, long, void *),
    void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
// Names no socket in a call of curl_multi_socket_action, but libcurl's time.
static const curl_socket_t orchard_no_socket = CURL_SOCKET_TIMEOUT;
// Lets libcurl look at all transfers. It is deprecated because it costs too much at each turn.
static inline void orchard_multi_look(CURLM *multi) {
    int running = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    curl_multi_socket_all(multi, &running);
#pragma GCC diagnostic pop
}
// Bytes of requests given to the socket, over all tries of the transfer.
static inline long orchard_request_size(CURL *easy) {
    long value = 0;
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &value);
    return value;
}
// The next transfer that ended, NULL when there is none; its CURLcode in `code`.
static inline CURL *orchard_next_ended(CURLM *multi, int *code) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
static inline const char *orchard_describe(int code) { return curl_easy_strerror((CURLcode)code); }

// libcurl copies requests, which hold card data, and wipes nothing: all memory that it frees is wiped here.
static inline void orchard_curl_free(void *memory) {
    if (!memory) return;
    explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}
static inline void *orchard_curl_realloc(void *memory, size_t size) {
    size_t usable = memory ? malloc_usable_size(memory) : 0;
    if (memory && size && size <= usable) return memory;
    void *moved = malloc(size);
    if (!moved) return NULL;
    if (memory) memcpy(moved, memory, usable < size ? usable : size);
    orchard_curl_free(memory);
    return moved;
}
static inline int orchard_global_init(void) {
    return curl_global_init_mem(
        CURL_GLOBAL_DEFAULT, malloc, orchard_curl_free, orchard_curl_realloc, strdup, calloc);
}
#endif
