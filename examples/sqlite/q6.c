/*
 * Query 6 of TPC-H in SQLite, over the rows of examples/q6.c, whose outcome it
 * compares with its own.
 *
 *     sqlite/q6 EXAMPLES/q6 [ROWS]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lineitem.h"

static const char query[] =
    "select count(*), sum(extended_price * discount) from lineitem"
    " where ship_date >= 8766 and ship_date < 9131"
    " and discount between 5 and 7 and quantity < 24";

static int insert(sqlite3 *db, const struct lineitem *table) {
    sqlite3_stmt *row = NULL;
    int ok = sqlite3_exec(db,
                          "create table lineitem(quantity, extended_price,"
                          " discount, ship_date); begin",
                          NULL, NULL, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(db, "insert into lineitem values(?, ?, ?, ?)",
                                -1, &row, NULL) == SQLITE_OK;

    for (uint64_t i = 0; ok && i < table->rows; i++)
        ok =
            sqlite3_bind_int(row, 1, table->quantity[i]) == SQLITE_OK &&
            sqlite3_bind_int64(row, 2, table->extended_price[i]) == SQLITE_OK &&
            sqlite3_bind_int(row, 3, table->discount[i]) == SQLITE_OK &&
            sqlite3_bind_int(row, 4, table->ship_date[i]) == SQLITE_OK &&
            sqlite3_step(row) == SQLITE_DONE && sqlite3_reset(row) == SQLITE_OK;
    sqlite3_finalize(row);
    return ok && sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK;
}

/* The line that examples/q6 prints. */
static int ask_sqlite(const struct lineitem *table, char *line, size_t size) {
    sqlite3_stmt *answer = NULL;
    sqlite3 *db = NULL;
    int ok = sqlite3_open(":memory:", &db) == SQLITE_OK && insert(db, table) &&
             sqlite3_prepare_v2(db, query, -1, &answer, NULL) == SQLITE_OK &&
             sqlite3_step(answer) == SQLITE_ROW;

    if (ok) {
        const long long revenue = sqlite3_column_int64(answer, 1);

        snprintf(line, size, "%lld of %llu rows, revenue %lld.%04d\n",
                 (long long)sqlite3_column_int64(answer, 0),
                 (unsigned long long)table->rows, revenue / 10000,
                 (int)(revenue % 10000));
    } else {
        fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(db));
    }
    sqlite3_finalize(answer);
    sqlite3_close(db);
    return ok;
}

static int ask_winnow(const char *program, uint64_t rows, char *line,
                      size_t size) {
    char command[4096];
    FILE *output;
    int ok;

    snprintf(command, sizeof command, "'%s' %llu", program,
             (unsigned long long)rows);
    output = popen(command, "r");
    if (output == NULL)
        return 0;
    ok = fgets(line, (int)size, output) != NULL;
    return pclose(output) == 0 && ok;
}

int main(int argc, char **argv) {
    const uint64_t rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 600000;
    char theirs[200], ours[200];
    struct lineitem table;
    int same;

    if (argc < 2 || !lineitem_make(&table, rows)) {
        fprintf(stderr, "usage: sqlite/q6 PROGRAM [ROWS]\n");
        return 2;
    }
    same = ask_sqlite(&table, theirs, sizeof theirs) &&
           ask_winnow(argv[1], rows, ours, sizeof ours);
    lineitem_free(&table);
    if (!same)
        return 1;
    printf("SQLite: %swinnow: %s", theirs, ours);
    return strcmp(theirs, ours) == 0 ? 0 : 1;
}
