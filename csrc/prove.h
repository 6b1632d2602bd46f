/* The space of hands as classes.
 *
 *   prove_parts.c   every suit a hand may have, with its melds; every hand one by one
 *   prove_side.c    what a program sees of each of them
 *   prove_odd.c     hands that are not taken suit by suit
 *   prove_tally.c   counts, smallest hands, prints
 *   prove.c         suits joined, counted and judged
 *
 * Unlike folds, which add what is seen of melds to what is seen of the tiles beside them, a suit is looked
 * at here together with its melds, so nothing has to be left out where the two have a kind in common.
 */
#ifndef MJ_PROVE_H
#define MJ_PROVE_H

#include "fold.h"

enum {
    MJ_PART_MELDS = 4,
    MJ_LOCAL_CODES = 1 + 5 * MJ_RANKS,   /* melds of one suit: 1 + 5 * rank + type, 0 where there is none */
    MJ_KEY_BITS = 5
};

/* A suit of a hand with its melds.  `order` holds, from the highest bits, what decides which is smallest: the
 * number of melds, of kinds, the inverted index of the concealed tiles, the melds' local codes, 255 for none. */
typedef struct mj_part {
    uint64_t order;
    uint16_t state;       /* id of a number suit; 0 of honours */
    uint8_t size;         /* tiles, a meld counted as three */
    uint8_t tiles;        /* physical ones */
    uint8_t key;          /* MJ_KEY_… */
    uint8_t plain;        /* it has a reading of melds and a pair */
    uint8_t even;         /* it has one of twins */
    uint8_t unused;
} mj_part;

struct mj_parts {
    mj_part *suit, *honour;
    uint32_t n_suit, n_honour;
    uint32_t capacity[2];
    unsigned whole;       /* tiles of a complete hand */
    bool in_set[MJ_PARTS];
};

enum { MJ_ORDER_MELDS = 57, MJ_ORDER_KINDS = 53, MJ_ORDER_INDEX = 32 };

static inline unsigned mj_melds_of_order(uint64_t order)
{
    return order >> MJ_ORDER_MELDS & 15;
}

static inline unsigned mj_kinds_of_order(uint64_t order)
{
    return order >> MJ_ORDER_KINDS & 15;
}

static inline uint32_t mj_index_of_order(uint64_t order)
{
    return MJ_SUIT_MASK - (uint32_t)(order >> MJ_ORDER_INDEX & MJ_SUIT_MASK);
}

static inline unsigned mj_local_code(uint64_t order, unsigned i)
{
    return order >> (24 - 8 * i) & 255;
}

/* The type of a local code's meld, and its rank. */
mj_group mj_meld_of_local(unsigned code);

/* The code of that meld in a word of melds. */
unsigned mj_global_code(unsigned part, unsigned local);

/* prove_tally.c.  What is summed up over hands or parts of hands. */
typedef struct mj_tally {
    uint64_t count;
    uint64_t prints[2];
    uint64_t order[MJ_PARTS];   /* of the smallest */
} mj_tally;

/* The order of a part that holds nothing. */
#define MJ_EMPTY_PART ((uint64_t)MJ_SUIT_MASK << MJ_ORDER_INDEX | UINT32_MAX)

mj_tally mj_tally_of(uint64_t order, unsigned part, bool prints);
mj_tally mj_tally_of_copies(const uint8_t *copies, bool prints);
/* Which of two hands is smaller: below, above or 0. */
int mj_compare(const mj_tally *a, const mj_tally *b);
void mj_add_tally(mj_tally *sum, const mj_tally *t);
/* Every member of the one with each of the other's, which are a part of their own. */
mj_status mj_times_part(mj_tally *t, const mj_tally *other, unsigned part);

/* prove_side.c.  A program as a space sees it. */
typedef struct mj_aspect {
    const mj_program *program;
    const mj_tables *tables;
    const mj_states *states;
    bool live[MJ_MAX_FEATURES];
    mj_sight sight;
    mj_cut cut;
    mj_pool vectors, tuples;
    uint8_t *fewest;                     /* tiles of each vector */
    uint32_t *rows[MJ_PARTS][2];         /* by part and whether it is void: vectors of all parts' readings */
    uint32_t *tuple_of[MJ_MANNERS];      /* by vector */
    uint64_t *sums;                      /* a cache of added tuples */
    int16_t manners[MJ_MAX_SHAPES];
    uint16_t shape_features[MJ_MAX_FEATURES];
    unsigned n_shape_features;
    bool odd;
    bool sees_win;
} mj_aspect;

/* Readings of a part in a row: first those of melds, then that of twins. */
unsigned mj_part_readings(const mj_tables *tables, const mj_part *part);

mj_status mj_aspect_start(mj_aspect *a, const mj_tables *tables, const mj_states *states, const mj_program *program,
                          const mj_parts *parts, bool voids, mj_fold_reason *reason);
void mj_aspect_free(mj_aspect *a);

enum { MJ_NO_TUPLE = UINT32_MAX };

/* The tuples of a part's readings as a set; false when it is full. */
bool mj_aspect_set(const mj_aspect *a, const mj_part *part, const uint32_t *row, mj_set *set);

/* The sums of the tuples of two sets; *full when there are too many. */
mj_status mj_aspect_join(mj_aspect *a, const mj_set *x, const mj_set *y, mj_set *sum, bool *full);

/* prove_odd.c.  Puts the hands of odd shapes into a pool of rows of copies. */
mj_status mj_aspect_list_odd(const mj_aspect *a, mj_pool *found, mj_fold_reason *reason);

#endif
