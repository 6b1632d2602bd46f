/* Every hand there is.
 *
 * The states of one suit are visited one by one and sorted into classes.  Suits do not
 * constrain each other but by the number of their tiles and parts, so two classes that
 * make up a hand stand for every pair of their members: numbers of hands are sums of
 * products, and the hand of a given number is found without visiting those before it.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum {
    NUMBER_SUITS = 3,
    SUIT_PAIRS = 3,     /* m p, m s, p s */
    MAX_MELD_COUNT = MJ_MAX_MELDS + 1
};

static void unpack(uint32_t index, uint8_t copies[MJ_RANKS])
{
    for (unsigned rank = MJ_RANKS; rank-- > 0; index /= 5)
        copies[rank] = (uint8_t)(index % 5);
}

static unsigned sum_of(const uint8_t copies[MJ_RANKS])
{
    unsigned sum = 0;
    for (unsigned rank = 0; rank < MJ_RANKS; rank++)
        sum += copies[rank];
    return sum;
}

/* ---- suits counted ------------------------------------------------------------ */

/* How many suit states have so many melds and pairs. */
typedef struct tally {
    uint64_t n[MAX_MELD_COUNT][2];
} tally;

static uint64_t count_vectors(unsigned rank, unsigned tiles)
{
    if (tiles > MJ_MAX_TILES)
        return 0;
    if (rank == MJ_RANKS)
        return 1;
    uint64_t sum = 0;
    for (unsigned copies = 0; copies <= MJ_MAX_COPIES; copies++)
        sum += count_vectors(rank + 1, tiles + copies);
    return sum;
}

/* Adds every way to lay exposed pungs and kongs beside a concealed suit.  A pung leaves one
 * tile of its kind at most, a kong none. */
static void add_exposed(const uint8_t *copies, unsigned rank, unsigned melds, unsigned pairs, tally *t)
{
    if (melds > MJ_MAX_MELDS)
        return;
    if (rank == MJ_RANKS) {
        t->n[melds][pairs] += 1;
        return;
    }
    add_exposed(copies, rank + 1, melds, pairs, t);
    for (unsigned exposed = 3; copies[rank] + exposed <= MJ_MAX_COPIES; exposed++)
        add_exposed(copies, rank + 1, melds + 1, pairs, t);
}

/* Tallies the complete suits, concealed and with exposed melds beside them. */
static uint64_t tally_suits(const mj_tables *tables, tally *concealed, tally *exposed)
{
    uint64_t n = 0;
    for (uint32_t id = 1; id <= MJ_COMPLETE_SUITS; id++) {
        uint8_t copies[MJ_RANKS];
        unpack(tables->index[id], copies);
        /* Tiles decide the parts, so the first of its readings tells as much as any. */
        const mj_suit_reading *reading = &tables->readings[tables->first[id]];
        const unsigned melds = reading->n_runs + reading->n_triplets;
        concealed->n[melds][reading->n_pairs] += 1;
        add_exposed(copies, 0, melds, reading->n_pairs, exposed);
        n += tables->first[id + 1] > tables->first[id];
    }
    return n;
}

static void tally_honours(unsigned kinds, unsigned melds, unsigned pairs, tally *t)
{
    if (melds > MJ_MAX_MELDS || pairs > 1)
        return;
    if (kinds == 0) {
        t->n[melds][pairs] += 1;
        return;
    }
    tally_honours(kinds - 1, melds, pairs, t);
    tally_honours(kinds - 1, melds, pairs + 1, t);
    tally_honours(kinds - 1, melds + 1, pairs, t);
}

static tally join(const tally *a, const tally *b)
{
    tally sum = {0};
    for (unsigned m = 0; m <= MJ_MAX_MELDS; m++)
        for (unsigned p = 0; p <= 1; p++)
            for (unsigned i = 0; i <= m; i++)
                for (unsigned j = 0; j <= p; j++)
                    sum.n[m][p] += a->n[i][j] * b->n[m - i][p - j];
    return sum;
}

/* Hands of four melds and a pair that are in one or two of the three number suits. */
static uint64_t in_two_suits(tally t)
{
    t.n[0][0] -= 1;   /* the empty suit */
    return NUMBER_SUITS * t.n[MJ_MAX_MELDS][1] + SUIT_PAIRS * join(&t, &t).n[MJ_MAX_MELDS][1];
}

/* ---- closed hands --------------------------------------------------------------- */

/* Suits that can be part of a closed hand, by what they can be part of. */
typedef enum trait { MELDED = 1, EVEN = 2, TRAITS = 4 } trait;

/* Number suits with 1 to 14 tiles, as suit indices, sorted by tiles and traits. */
typedef struct classes {
    uint32_t first[MJ_MAX_TILES + 1][TRAITS];
    uint32_t n[MJ_MAX_TILES + 1][TRAITS];
    uint32_t *members;
} classes;

typedef void see_suit(classes *c, unsigned tiles, unsigned traits, uint32_t index);

static void count_member(classes *c, unsigned tiles, unsigned traits, uint32_t index)
{
    (void)index;
    c->n[tiles][traits] += 1;
}

static void add_member(classes *c, unsigned tiles, unsigned traits, uint32_t index)
{
    c->members[c->first[tiles][traits] + c->n[tiles][traits]++] = index;
}

/* Sees every suit of twins that the tables do not hold. */
static void see_twins(const mj_tables *tables, classes *c, see_suit *see, unsigned rank,
                      unsigned tiles, uint32_t index)
{
    if (tiles > MJ_MAX_TILES)
        return;
    if (rank < MJ_RANKS) {
        for (unsigned copies = 0; copies <= MJ_MAX_COPIES; copies += 2)
            see_twins(tables, c, see, rank + 1, tiles + copies, index * 5 + copies);
    } else if (tables->id[index] == 0) {
        see(c, tiles, EVEN, index);
    }
}

static void see_all(const mj_tables *tables, classes *c, see_suit *see)
{
    for (uint32_t id = 1; id <= MJ_COMPLETE_SUITS; id++) {
        uint8_t copies[MJ_RANKS];
        unpack(tables->index[id], copies);
        unsigned odd = 0;
        for (unsigned rank = 0; rank < MJ_RANKS; rank++)
            odd |= copies[rank] & 1u;
        if (sum_of(copies) > 0)
            see(c, sum_of(copies), odd ? MELDED : MELDED | EVEN, tables->index[id]);
    }
    see_twins(tables, c, see, 0, 0, 0);
}

static mj_status make_classes(const mj_tables *tables, classes *c)
{
    memset(c, 0, sizeof *c);
    see_all(tables, c, count_member);
    uint32_t total = 0;
    for (unsigned tiles = 0; tiles <= MJ_MAX_TILES; tiles++) {
        for (unsigned traits = 0; traits < TRAITS; traits++) {
            c->first[tiles][traits] = total;
            total += c->n[tiles][traits];
            c->n[tiles][traits] = 0;
        }
    }
    c->members = malloc(total * sizeof *c->members);
    if (c->members == NULL)
        return MJ_NO_MEMORY;
    see_all(tables, c, add_member);
    return MJ_OK;
}

/* Where rows go, and how many hands are to be passed over before. */
typedef struct writer {
    const classes *classes;
    uint64_t skip;
    uint8_t *rows;
    uint32_t capacity;
    uint32_t n;
} writer;

/* Writes the hands with a suit of each of two lists, the second varying fastest. */
static void write_product(writer *w, unsigned suit_a, const uint32_t *a, uint32_t n_a,
                          unsigned suit_b, const uint32_t *b, uint32_t n_b)
{
    const uint64_t size = (uint64_t)n_a * n_b;
    uint64_t i = w->skip < size ? w->skip : size;
    w->skip -= i;
    for (; i < size && w->n < w->capacity; i++) {
        uint8_t *row = w->rows + (size_t)w->n++ * MJ_NUMBER_KINDS;
        memset(row, 0, MJ_NUMBER_KINDS);
        unpack(a[i / n_b], row + suit_a * MJ_RANKS);
        unpack(b[i % n_b], row + suit_b * MJ_RANKS);
    }
}

static void write_one_suit(writer *w, unsigned suit)
{
    static const uint32_t empty = 0;
    const classes *c = w->classes;
    for (unsigned traits = 1; traits < TRAITS; traits++)
        write_product(w, suit, c->members + c->first[MJ_MAX_TILES][traits], c->n[MJ_MAX_TILES][traits],
                      (suit + 1) % NUMBER_SUITS, &empty, 1);
}

/* Two suits make a closed hand if both are melded or both are even: fourteen tiles in
 * melded suits are four melds and exactly one pair. */
static void write_two_suits(writer *w, unsigned suit_a, unsigned suit_b)
{
    const classes *c = w->classes;
    for (unsigned tiles = 1; tiles < MJ_MAX_TILES; tiles++) {
        const unsigned others = MJ_MAX_TILES - tiles;
        for (unsigned a = 1; a < TRAITS; a++)
            for (unsigned b = 1; b < TRAITS; b++)
                if (a & b)
                    write_product(w, suit_a, c->members + c->first[tiles][a], c->n[tiles][a],
                                  suit_b, c->members + c->first[others][b], c->n[others][b]);
    }
}

mj_status mj_closed_hands(const mj_tables *tables, uint64_t first, uint32_t capacity,
                          uint8_t *rows, uint32_t *n)
{
    if (tables == NULL || n == NULL || (rows == NULL && capacity > 0))
        return MJ_BAD_ARGUMENT;
    *n = 0;
    classes c;
    const mj_status status = make_classes(tables, &c);
    if (status != MJ_OK)
        return status;
    writer w = {.classes = &c, .skip = first, .rows = rows, .capacity = capacity};
    for (unsigned suit = 0; suit < NUMBER_SUITS; suit++)
        write_one_suit(&w, suit);
    for (unsigned a = 0; a < NUMBER_SUITS; a++)
        for (unsigned b = a + 1; b < NUMBER_SUITS; b++)
            write_two_suits(&w, a, b);
    free(c.members);
    *n = w.n;
    return MJ_OK;
}

/* Suits that may belong to a hand of seven pairs, by how many; `melded` those that are also
 * complete, so that a hand of both kinds is not counted twice. */
static void count_even_suits(const classes *c, uint64_t even[8], uint64_t melded[8])
{
    for (unsigned pairs = 1; pairs <= 7; pairs++) {
        const uint32_t *n = c->n[2 * pairs];
        melded[pairs] = n[MELDED | EVEN];
        even[pairs] = n[MELDED | EVEN] + n[EVEN];
    }
}

static uint64_t seven_in_two_suits(const uint64_t suits[8])
{
    uint64_t sum = NUMBER_SUITS * suits[7];
    for (unsigned pairs = 1; pairs < 7; pairs++)
        sum += SUIT_PAIRS * suits[pairs] * suits[7 - pairs];
    return sum;
}

mj_status mj_count_hands(const mj_tables *tables, mj_counts *counts)
{
    if (tables == NULL || counts == NULL)
        return MJ_BAD_ARGUMENT;
    memset(counts, 0, sizeof *counts);
    classes c;
    const mj_status status = make_classes(tables, &c);
    if (status != MJ_OK)
        return status;
    uint64_t even[8] = {0}, even_melded[8] = {0};
    count_even_suits(&c, even, even_melded);
    free(c.members);

    tally concealed = {0}, exposed = {0}, honours = {0};
    counts->suit_vectors = count_vectors(0, 0);
    counts->suit_complete = tally_suits(tables, &concealed, &exposed);
    tally_honours(MJ_KINDS - MJ_NUMBER_KINDS, 0, 0, &honours);

    counts->standard = in_two_suits(concealed);
    counts->seven_pairs = seven_in_two_suits(even);
    counts->closed = counts->standard + counts->seven_pairs - seven_in_two_suits(even_melded);
    counts->merged_kongs = in_two_suits(exposed);

    const tally two = join(&concealed, &concealed), three = join(&two, &concealed);
    counts->standard_all_kinds = join(&three, &honours).n[MJ_MAX_MELDS][1];
    return MJ_OK;
}
