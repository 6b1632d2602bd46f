/* Every complete suit and its readings.
 *
 * Only 21,743 of two million vectors of copies are complete, so the tables are not
 * searched for but grown: groups are laid rank by rank in all ways, and each way is one
 * reading of the suit that it makes.  Growing tries a triplet before none and fewer pairs
 * before more, which is the order in which a suit's readings are documented to come.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define SUIT 390625, 78125, 15625, 3125, 625, 125, 25, 5, 1
const uint32_t mj_digits[MJ_KINDS] = {SUIT, SUIT, SUIT, 15625, 3125, 625, 125, 25, 5, 1};
#undef SUIT

typedef struct growth growth;
struct growth {
    mj_tables *tables;
    void (*found)(growth *g, uint32_t index);
    mj_suit_reading reading;
    uint8_t runs[MJ_RANKS];      /* that start at a rank */
    uint16_t n_ids;
};

static void push(mj_suit_reading *reading, mj_group_type type, unsigned rank, unsigned times)
{
    while (times-- > 0)
        reading->groups[reading->n_groups++] = (mj_group){(uint8_t)type, (uint8_t)rank};
}

static void grow(growth *g, unsigned rank, uint32_t index)
{
    if (rank == MJ_RANKS) {
        g->found(g, index);
        return;
    }
    const mj_suit_reading before = g->reading;
    const unsigned melds = before.n_runs + before.n_triplets;
    const unsigned carried = (rank >= 1 ? g->runs[rank - 1] : 0u) + (rank >= 2 ? g->runs[rank - 2] : 0u);

    for (unsigned triplet = 2; triplet-- > 0;) {
        for (unsigned pair = 0; pair + before.n_pairs <= 1; pair++) {
            for (unsigned runs = 0; melds + triplet + runs <= MJ_MAX_MELDS; runs++) {
                const unsigned copies = carried + 3 * triplet + 2 * pair + runs;
                if (copies > MJ_MAX_COPIES || (runs > 0 && !mj_starts_run(rank)))
                    break;
                push(&g->reading, MJ_RUN, rank, runs);
                push(&g->reading, MJ_TRIPLET, rank, triplet);
                push(&g->reading, MJ_PAIR, rank, pair);
                g->reading.n_runs = (uint8_t)(before.n_runs + runs);
                g->reading.n_triplets = (uint8_t)(before.n_triplets + triplet);
                g->reading.n_pairs = (uint8_t)(before.n_pairs + pair);
                g->runs[rank] = (uint8_t)runs;
                grow(g, rank + 1, index * 5 + copies);
                g->reading = before;
            }
        }
    }
    g->runs[rank] = 0;
}

/* The readings of an id lie together, so growing goes twice: first to count them, then to
 * put them down.  Counts are kept two places ahead.  Summed up, first[id + 1] is where the
 * readings of id begin; it moves on as they are put down and ends where those of id + 1 begin. */

static void count_reading(growth *g, uint32_t index)
{
    mj_tables *tables = g->tables;
    if (tables->id[index] == 0) {
        tables->id[index] = ++g->n_ids;
        tables->index[g->n_ids] = index;
    }
    tables->first[tables->id[index] + 2] += 1;
}

static void put_reading(growth *g, uint32_t index)
{
    mj_tables *tables = g->tables;
    tables->readings[tables->first[tables->id[index] + 1]++] = g->reading;
}

static unsigned tiles_of(uint32_t index)
{
    unsigned tiles = 0;
    for (; index != 0; index /= 5)
        tiles += index % 5;
    return tiles;
}

/* Numbers the suits by their tiles, and as they were found where these are as many: most suits of hands are small, and
 * what tables say of them then lies together. */
static void sort_by_tiles(mj_tables *tables)
{
    uint32_t found[MJ_COMPLETE_SUITS + 1], n_readings[MJ_COMPLETE_SUITS + 1];
    unsigned next[MJ_MAX_TILES + 2] = {0};
    for (unsigned id = 1; id <= MJ_COMPLETE_SUITS; id++) {
        found[id] = tables->index[id];
        n_readings[id] = tables->first[id + 2];
        next[tiles_of(found[id]) + 1] += 1;
    }
    for (unsigned tiles = 1; tiles <= MJ_MAX_TILES; tiles++)
        next[tiles] += next[tiles - 1];
    for (unsigned old = 1; old <= MJ_COMPLETE_SUITS; old++) {
        const unsigned id = ++next[tiles_of(found[old])];
        tables->id[found[old]] = (uint16_t)id;
        tables->index[id] = found[old];
        tables->first[id + 2] = n_readings[old];
    }
}

mj_status mj_tables_new(mj_tables **out)
{
    if (out == NULL)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    mj_tables *tables = mj_new_space(sizeof *tables);
    if (tables == NULL)
        return MJ_NO_MEMORY;
    memset(tables, 0, sizeof *tables);

    growth g = {.tables = tables, .found = count_reading};
    grow(&g, 0, 0);
    sort_by_tiles(tables);
    for (unsigned id = 1; id <= MJ_COMPLETE_SUITS + 2; id++)
        tables->first[id] += tables->first[id - 1];
    g.found = put_reading;
    grow(&g, 0, 0);

    *out = tables;
    return MJ_OK;
}

void mj_tables_free(mj_tables *tables)
{
    free(tables);
}
