#include "yardstick.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t yardstick_read(const char *database, const char *const *statements, int32_t count) {
    PGconn *connection = PQconnectdb(database);
    if (PQstatus(connection) != CONNECTION_OK) {
        PQfinish(connection);
        return -1;
    }
    int64_t begun = now();
    volatile uint64_t sum = 0;
    for (int32_t index = 0; index < count; index++) {
        PGresult *result = PQexecParams(connection, statements[index], 0, NULL, NULL, NULL, NULL, 1);
        if (PQresultStatus(result) != PGRES_TUPLES_OK) {
            PQclear(result);
            PQfinish(connection);
            return -1;
        }
        for (int row = 0; row < PQntuples(result); row++)
            for (int column = 0; column < PQnfields(result); column++)
                sum += (uint64_t)PQgetlength(result, row, column) + (unsigned char)*PQgetvalue(result, row, column);
        PQclear(result);
    }
    int64_t nanoseconds = now() - begun;
    PQfinish(connection);
    return nanoseconds;
}

int64_t yardstick_write(const char *database, const char *const *statements, int32_t count) {
    PGconn *connection = PQconnectdb(database);
    int64_t begun = now();
    int isDone = PQstatus(connection) == CONNECTION_OK;
    for (int32_t index = 0; isDone && index < count; index++) {
        PGresult *result = PQexec(connection, statements[index]);
        ExecStatusType status = PQresultStatus(result);
        isDone = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        PQclear(result);
    }
    int64_t nanoseconds = now() - begun;
    if (!isDone) fprintf(stderr, "yardstick: %s", PQerrorMessage(connection));
    PQfinish(connection);
    return isDone ? nanoseconds : -1;
}
