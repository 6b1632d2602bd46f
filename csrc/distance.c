/* How many tiles suits lack.
 *
 * For each vector of copies a row: the fewest tiles that must be added so that it holds n melds, and
 * n melds and a pair.  What holds a target lacks nothing; anything else lacks one more than the best of
 * what one more tile makes of it.  Only some hundred rows are different, and two rows as one are hardly more,
 * so what a whole hand lacks is in a table by two pairs of suits.  A suit's row is found in two steps, by its
 * first ranks and by the last three: that many first ranks are alike, and the tables stay near the processor.
 */
#include <stdlib.h>
#include <string.h>

#include "play.h"

/* Which targets each vector of copies holds, from the targets themselves: upwards. */
static void spread_targets(uint16_t *held, uint32_t n, const uint32_t *digits, unsigned ranks)
{
    for (uint32_t v = 0; v < n; v++)
        for (unsigned r = 0; r < ranks; r++)
            if (v / digits[r] % 5 > 0)
                held[v] |= held[v - digits[r]];
}

/* Rows from the vectors with most tiles downwards. */
static void fill_rows(uint8_t (*rows)[MJ_ROW_LENGTH], const uint16_t *held, uint32_t n, const uint32_t *digits,
                      unsigned ranks)
{
    for (uint32_t v = n; v-- > 0;) {
        uint8_t *row = rows[v];
        memset(row, MJ_FAR, MJ_ROW_LENGTH);
        for (unsigned r = 0; r < ranks; r++) {
            if (v / digits[r] % 5 == 4)
                continue;
            const uint8_t *more = rows[v + digits[r]];
            for (unsigned i = 0; i < MJ_ROW_LENGTH; i++) {
                const uint8_t cost = (uint8_t)(more[i] + 1);
                row[i] = cost < row[i] ? cost : row[i];
            }
        }
        for (unsigned i = 0; i < MJ_WANTS; i++)
            if (held[v] >> i & 1)
                row[i] = 0;
    }
}

static uint32_t hash_row(const uint8_t *row)
{
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < MJ_WANTS; i++)
        hash = (hash ^ row[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static bool name_rows(mj_distances *d, uint8_t (*rows)[MJ_ROW_LENGTH], uint32_t n, uint8_t *ids)
{
    enum { SLOTS = 4096 };
    uint16_t slots[SLOTS] = {0};   /* row id plus one, by hash */
    for (uint32_t id = 0; id < d->n_rows; id++) {
        uint32_t slot = hash_row(d->rows[id]) & (SLOTS - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (SLOTS - 1);
        slots[slot] = (uint16_t)(id + 1);
    }
    for (uint32_t v = 0; v < n; v++) {
        uint32_t slot = hash_row(rows[v]) & (SLOTS - 1);
        while (slots[slot] != 0 && memcmp(d->rows[slots[slot] - 1], rows[v], MJ_ROW_LENGTH) != 0)
            slot = (slot + 1) & (SLOTS - 1);
        if (slots[slot] == 0) {
            if (d->n_rows == MJ_MAX_ROW_IDS)
                return false;
            memcpy(d->rows[d->n_rows], rows[v], MJ_ROW_LENGTH);
            slots[slot] = (uint16_t)++d->n_rows;
        }
        ids[v] = (uint8_t)(slots[slot] - 1);
    }
    return true;
}

static void join(const uint8_t *a, const uint8_t *b, uint8_t *to)
{
    memset(to, MJ_FAR, MJ_ROW_LENGTH);
    for (unsigned i = 0; i < MJ_WANTS; i++)
        for (unsigned j = 0; j < MJ_WANTS; j++) {
            const unsigned melds = i % 5 + j % 5, pairs = i / 5 + j / 5;
            if (melds > MJ_MAX_MELDS || pairs > 1)
                continue;
            const unsigned cost = a[i] + b[j];
            uint8_t *best = &to[5 * pairs + melds];
            *best = cost < *best ? (uint8_t)cost : *best;
        }
}

static bool join_rows(mj_distances *d)
{
    for (uint32_t a = 0; a < d->n_rows; a++)
        for (uint32_t b = 0; b < d->n_rows; b++) {
            uint8_t row[MJ_ROW_LENGTH];
            uint32_t id = 0;
            join(d->rows[a], d->rows[b], row);
            while (id < d->n_joined && memcmp(d->joined_rows[id], row, sizeof row) != 0)
                id++;
            if (id == MJ_MAX_ROW_IDS)
                return false;
            if (id == d->n_joined)
                memcpy(d->joined_rows[d->n_joined++], row, sizeof row);
            d->joined[a][b] = (uint8_t)id;
        }
    for (uint32_t a = 0; a < d->n_joined; a++)
        for (uint32_t b = 0; b < d->n_joined; b++) {
            uint8_t row[MJ_ROW_LENGTH];
            join(d->joined_rows[a], d->joined_rows[b], row);
            for (unsigned wants = 0; wants < MJ_WANTS; wants++)
                d->lacks[wants][a][b] = row[wants];
        }
    return true;
}

static void number_targets(const mj_tables *tables, uint16_t *held)
{
    for (unsigned id = 1; id <= MJ_COMPLETE_SUITS; id++)
        for (uint32_t i = tables->first[id]; i < tables->first[id + 1]; i++) {
            const mj_suit_reading *reading = &tables->readings[i];
            const unsigned melds = reading->n_runs + reading->n_triplets;
            if (melds <= MJ_MAX_MELDS && reading->n_pairs <= 1)
                held[tables->index[id]] |= (uint16_t)(1u << (5 * reading->n_pairs + melds));
        }
}

static void honour_targets(uint16_t *held)
{
    for (uint32_t v = 0; v < MJ_HONOUR_INDICES; v++) {
        unsigned triplets = 0, pairs = 0, others = 0;
        for (uint32_t rest = v; rest > 0; rest /= 5) {
            triplets += rest % 5 == 3;
            pairs += rest % 5 == 2;
            others += rest % 5 == 1 || rest % 5 == 4;
        }
        if (others == 0 && triplets <= MJ_MAX_MELDS && pairs <= 1)
            held[v] |= (uint16_t)(1u << (5 * pairs + triplets));
    }
}

static bool fill_suit(mj_distances *d, const mj_tables *tables, uint32_t n, unsigned first_kind,
                      unsigned ranks, uint8_t *ids)
{
    uint32_t digits[MJ_RANKS];
    for (unsigned r = 0; r < ranks; r++)
        digits[r] = mj_digits[first_kind + r];
    uint16_t *held = calloc(n, sizeof *held);
    uint8_t(*rows)[MJ_ROW_LENGTH] = malloc((size_t)n * MJ_ROW_LENGTH);
    bool good = held != NULL && rows != NULL;
    if (good) {
        if (tables != NULL)
            number_targets(tables, held);
        else
            honour_targets(held);
        spread_targets(held, n, digits, ranks);
        fill_rows(rows, held, n, digits, ranks);
        good = name_rows(d, rows, n, ids);
    }
    free(held);
    free(rows);
    return good;
}

/* First ranks that lead to the same rows whatever follows are one. */
static bool split_rows(mj_distances *d, const uint8_t *ids)
{
    mj_pool lines;
    bool good = mj_pool_start(&lines, MJ_REST);
    for (uint32_t head = 0; good && head < MJ_SUIT_INDICES / MJ_REST; head++) {
        const uint32_t line = mj_pool_put(&lines, ids + head * MJ_REST);
        good = line < MJ_MAX_HEADS;
        if (!good)
            break;
        d->heads[head] = (uint16_t)line;
        memcpy(d->rests[line], ids + head * MJ_REST, MJ_REST);
    }
    mj_pool_free(&lines);
    return good;
}

mj_status mj_distances_new(const mj_tables *tables, mj_distances **out)
{
    if (tables == NULL || out == NULL)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    mj_distances *d = calloc(1, sizeof *d);
    if (d == NULL)
        return MJ_NO_MEMORY;
    uint8_t *ids = malloc(MJ_SUIT_INDICES);
    if (ids == NULL || !fill_suit(d, tables, MJ_SUIT_INDICES, 0, MJ_RANKS, ids) || !split_rows(d, ids)
        || !fill_suit(d, NULL, MJ_HONOUR_INDICES, MJ_NUMBER_KINDS, MJ_KINDS - MJ_NUMBER_KINDS, d->honour_ids)
        || !join_rows(d)) {
        free(ids);
        mj_distances_free(d);
        return MJ_NO_MEMORY;
    }
    free(ids);
    *out = d;
    return MJ_OK;
}

void mj_distances_free(mj_distances *distances)
{
    free(distances);
}

/* ---- a hand --------------------------------------------------------------------------- */

static inline unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* By rows, twins and kinds held of a hand. */
static inline unsigned lacking(const mj_book *book, unsigned n_melds, unsigned a, unsigned b, unsigned twins,
                               uint64_t held)
{
    unsigned best = MJ_FAR;
    for (unsigned i = 0; i < book->n_wants[n_melds]; i++)
        best = lesser(best, book->distances->lacks[book->wants[n_melds][i]][a][b]);
    if (n_melds)
        return best;
    for (unsigned i = 0; i < book->n_twins; i++)
        best = lesser(best, twins > book->twins[i] ? MJ_FAR : book->twins[i] - twins);
    for (unsigned i = 0; i < book->n_each; i++)
        best = lesser(best, mj_count(book->each[i] & ~held));
    return best;
}

unsigned mj_lacking(const mj_book *book, const mj_place *seat)
{
    const mj_distances *d = book->distances;
    const uint8_t *rows = seat->rows;
    return lacking(book, seat->n_melds, d->joined[rows[0]][rows[1]], d->joined[rows[2]][rows[3]], seat->twins,
                   seat->held[0]);
}

/* The joined rows with another row for a suit. */
static inline void join_with(const mj_distances *d, const uint8_t *rows, unsigned suit, unsigned row, unsigned *a,
                             unsigned *b)
{
    const unsigned m = suit == 0 ? row : rows[0], p = suit == 1 ? row : rows[1];
    const unsigned s = suit == 2 ? row : rows[2], z = suit == 3 ? row : rows[3];
    *a = d->joined[m][p];
    *b = d->joined[s][z];
}

unsigned mj_lacking_without(const mj_book *book, const mj_place *seat, unsigned kind)
{
    const unsigned suit = mj_suit_of(kind), copies = seat->tiles[kind];
    const unsigned row = mj_row_of(book->distances, suit, seat->index[suit] - mj_digits[kind]);
    unsigned a, b;
    join_with(book->distances, seat->rows, suit, row, &a, &b);
    return lacking(book, seat->n_melds, a, b, seat->twins - (copies % 2 == 0),
                   copies == 1 ? seat->held[0] & ~mj_bit(kind) : seat->held[0]);
}

/* ---- what completes a hand ---------------------------------------------------------------- */

/* Whether a hand with one tile more in a suit may be melds and `pairs` pairs, by the number of tiles in each. */
static bool may_fit(const unsigned *tiles, unsigned suit, unsigned pairs)
{
    unsigned found = 0;
    for (unsigned s = 0; s < MJ_SUITS; s++) {
        const unsigned rest = (tiles[s] + (s == suit)) % 3;
        if (rest == 1)
            return false;
        found += rest == 2;
    }
    return found == pairs;
}

/* Kinds of a suit that make a run with two others or have one alike. */
static uint64_t near(uint64_t held)
{
    const uint64_t ones = mj_bit(0) | mj_bit(MJ_RANKS) | mj_bit(2 * MJ_RANKS);
    const uint64_t starts = ones * 0x7f;
    const uint64_t second = held >> 1, third = held >> 2;
    return held | (second & third & starts) | (held & third & starts) << 1 | (held & second & starts) << 2;
}

uint64_t mj_completed_by(const mj_book *book, const mj_place *seat)
{
    const mj_distances *d = book->distances;
    unsigned tiles[MJ_SUITS];
    for (unsigned suit = 0; suit < MJ_SUITS; suit++)
        tiles[suit] = mj_suit_size(seat, suit);
    const uint64_t kinds = book->all_kinds & ~seat->held[3];
    const uint64_t worth_trying = kinds & near(seat->held[0]);
    uint64_t completed = 0;
    for (unsigned i = 0; i < book->n_wants[seat->n_melds]; i++) {
        const unsigned wants = book->wants[seat->n_melds][i];
        for (unsigned suit = 0; suit < MJ_SUITS; suit++) {
            if (!may_fit(tiles, suit, wants > MJ_MAX_MELDS))
                continue;
            for (uint64_t rest = worth_trying & mj_suit_kinds(suit); rest != 0; rest &= rest - 1) {
                const unsigned kind = mj_lowest(rest);
                const unsigned row = mj_row_of(d, suit, seat->index[suit] + mj_digits[kind]);
                unsigned a, b;
                join_with(d, seat->rows, suit, row, &a, &b);
                completed |= d->lacks[wants][a][b] == 0 ? mj_bit(kind) : 0;
            }
        }
    }
    for (unsigned i = 0; i < book->n_twins && !seat->n_melds; i++)
        if (seat->twins + 1u == book->twins[i])
            completed |= kinds & ((seat->held[0] & ~seat->held[1]) | (seat->held[2] & ~seat->held[3]));
    return completed;
}
