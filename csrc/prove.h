/* The space of hands as classes.
 *
 *   prove_parts.c   every suit a hand may have, with its melds; every hand one by one
 *   prove_look.c    what a program sees of each of them
 *   prove_side.c    the program, and the tuples and sets of what it sees
 *   prove_win.c     what it sees of the winning tile there
 *   prove_waits.c   and of what a hand waits for
 *   prove_odd.c     hands that are not taken suit by suit
 *   prove_tally.c   counts, smallest hands, prints
 *   prove_turn.c    suits that are seen alike sorted once for all
 *   prove_join.c    suits sorted by all that is seen of them, joined and counted
 *   prove_judge.c   what joined classes are worth
 *   prove.c         all of it
 *
 * Unlike folds, which add what is seen of melds to what is seen of the tiles beside them, a suit is looked
 * at here together with its melds, so nothing has to be left out where the two have a kind in common.
 *
 * Where a program asks for the winning tile, a hand of the space is a hand with one of its concealed tiles
 * as that: each suit is there *marked*, once for each rank it holds concealed, and not marked, and exactly
 * one suit of a hand is.  See prove_win.c and prove_waits.c.
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

/* The concealed copies of a part's ranks, and which it holds as a set. */
static inline void mj_part_copies(const mj_part *p, unsigned n_kinds, uint8_t *copies)
{
    uint32_t index = mj_index_of_order(p->order);
    for (unsigned rank = n_kinds; rank-- > 0; index /= 5)
        copies[rank] = (uint8_t)(index % 5);
}

static inline uint32_t mj_part_ranks(const mj_part *p, unsigned n_kinds)
{
    uint32_t index = mj_index_of_order(p->order), ranks = 0;
    for (unsigned rank = n_kinds; rank-- > 0; index /= 5)
        ranks |= (uint32_t)(index % 5 > 0) << rank;
    return ranks;
}

/* Copies of a rank in a part's melds. */
static inline unsigned mj_declared_copies(const mj_part *p, unsigned rank)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < mj_melds_of_order(p->order); i++) {
        const mj_group meld = mj_meld_of_local(mj_local_code(p->order, i));
        if (mj_kinds_of(meld) >> rank & 1)
            sum += meld.type == MJ_CHOW ? 1 : meld.type == MJ_PUNG ? 3 : 4;
    }
    return sum;
}

/* prove_tally.c.  What is summed up over hands or parts of hands. */
typedef struct mj_tally {
    uint64_t count;
    uint64_t prints[2];
    uint64_t order[MJ_PARTS];   /* of the smallest */
    uint8_t win;                /* kind of its winning tile, or MJ_NONE */
} mj_tally;

/* The order of a part that holds nothing. */
#define MJ_EMPTY_PART ((uint64_t)MJ_SUIT_MASK << MJ_ORDER_INDEX | UINT32_MAX)

/* `mark` is the rank of the winning tile, or MJ_NONE where it is not in this part; `win` is its kind. */
mj_tally mj_tally_of(uint64_t order, unsigned part, unsigned mark, bool prints);
mj_tally mj_tally_of_copies(const uint8_t *copies, unsigned win, bool prints);
/* Which of two hands is smaller: below, above or 0.  Of two with the same tiles the one with the lower winning
 * tile, none before any. */
int mj_compare(const mj_tally *a, const mj_tally *b);
void mj_add_tally(mj_tally *sum, const mj_tally *t);
/* Adds a part by itself to a tally of such. */
void mj_add_part(mj_tally *sum, uint64_t order, unsigned part, unsigned mark, bool prints);
/* Every member of the one with each of the other's, which are a part of their own. */
mj_status mj_times_part(mj_tally *t, const mj_tally *other, unsigned part);

/* ---- prove_win.c ------------------------------------------------------------------------- */

enum {
    MJ_MOST_WAITS = 19,   /* nine of each of two suits, and one for a last pair */
    MJ_WIN_ELEMENTS = 250,
    MJ_NO_WAIT_STATE = UINT16_MAX,   /* what a hand waits for does not matter, or is not known */
    MJ_IS_COMPLETE = 1 << 15
};

#define MJ_NO_OUTCOME UINT32_MAX

/* A place of a rank in a reading of its part: `wait` as in mj_wait, `triplet` the number of its group in the
 * reading where that is a triplet, MJ_NONE where it is not. */
typedef struct mj_spot {
    uint8_t rank, reading, wait, triplet;
} mj_spot;

/* Places by the state of a suit, by rank and reading; and by state and rank taken away (MJ_RANKS for none) the
 * ranks that would complete what is left, with MJ_IS_COMPLETE where that is complete. */
typedef struct mj_spots {
    uint32_t *first;
    mj_spot *items;
    uint16_t *open;
} mj_spots;

mj_status mj_find_spots(mj_spots *places, const mj_tables *tables, const mj_states *states);
void mj_free_spots(mj_spots *places);
/* A part's places; `own` is room for those of honours. */
const mj_spot *mj_spots_of(const mj_spots *places, const mj_part *p, bool honours, mj_spot *own, unsigned *n);

/* What a program sees of the winning tile. */
typedef struct mj_win {
    bool is_seen;
    bool claims;              /* it tells a claimed triplet from another */
    bool plain, twins;        /* the manners of its shapes */
    bool unclear;             /* it asks for waits that cannot be told part by part */
    uint16_t features[MJ_MAX_FEATURES], waits[MJ_MAX_FEATURES], left[MJ_MAX_FEATURES];   /* the live ones */
    unsigned n_features, n_waits, n_left;
    mj_pool lists;            /* distinct values of `features` */
    uint32_t element_of[MJ_PARTS * MJ_RANKS * 2 * 4 * 4 * 6];
    unsigned n_elements;      /* 0 stands for no winning tile */
    uint32_t list_of[MJ_WIN_ELEMENTS];   /* an example of each */
    bool cares[MJ_WIN_ELEMENTS];         /* whether what the hand waits for can matter */
    unsigned most_waits, most_left;      /* from here on all numbers are the same to it */
    uint8_t alike_left[MJ_MOST_LEFT + 1];   /* the least number of tiles left that is the same to it */
    uint16_t *state_of[2];    /* raw states of suits and of honours: of each marked by rising ranks, then unmarked */
    uint16_t *class_of;       /* of raw states: the states below */
    uint16_t *sums;
    uint32_t *outcomes;       /* of whole hands */
    uint32_t n_states;
} mj_win;

/* What a hand waits for: kinds, and of tiles left on the table the fewest and most there may be. */
static inline uint32_t mj_outcome(unsigned waits, unsigned low, unsigned high)
{
    return waits << 16 | low << 8 | high;
}

void mj_win_look(mj_win *win, mj_sight *sight, const bool *live);
mj_status mj_win_elements(mj_win *win, const mj_cut *cut, const mj_program *program, const int32_t *facts,
                          uint32_t n_contexts, mj_fold_reason *reason);
/* Of the winning tile by its rank in a part, copies held concealed and in all before the win, and its wait. */
unsigned mj_win_element(const mj_win *win, unsigned part, bool is_void, unsigned rank, unsigned own, unsigned all,
                        unsigned wait);
/* prove_waits.c.  Numbers up to most_waits and most_left, which may be raised before, are told apart. */
mj_status mj_win_states(mj_win *win, const mj_parts *parts, const mj_spots *places, mj_fold_reason *reason);
void mj_tell_win(const mj_win *win, unsigned element, int64_t *features);
void mj_tell_waits(const mj_win *win, unsigned waits, unsigned left, int64_t *features);
void mj_free_win(mj_win *win);

/* ---- prove_look.c, prove_side.c ------------------------------------------------------------------------- */

/* A tuple, and what is seen of the winning tile with it: an element, 0 where it is not there. */
typedef struct mj_won_tuple {
    mj_tuple of_tiles;
    uint8_t win;
} mj_won_tuple;

typedef struct mj_looker mj_looker;

/* A program as a space sees it. */
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
    uint32_t n_first;                    /* vectors of the first suit, which are the first ones */
    uint32_t *turned[MJ_PARTS];          /* by these, those of a suit that is seen alike; else NULL */
    uint32_t *tuple_of[MJ_MANNERS];      /* by vector */
    uint64_t *sums;                      /* a cache of added tuples */
    mj_looker *looker;
    mj_win win;
    uint32_t *won;                       /* a cache: tuples without a winning tile, with each element */
    uint32_t n_tuples;                   /* without one, before any were added */
    int16_t manners[MJ_MAX_SHAPES];
    uint16_t shape_features[MJ_MAX_FEATURES];
    unsigned n_shape_features;
    bool odd;
} mj_aspect;

/* Readings of a part in a row: first those of melds, then that of twins. */
unsigned mj_part_readings(const mj_tables *tables, const mj_part *part);

/* Sees all parts, by the readings of each. */
mj_status mj_aspect_see(mj_aspect *a, const mj_parts *parts, const mj_spots *places, bool voids);

/* `told`: hands may come with their winning tile, in `n_contexts` contexts. */
mj_status mj_aspect_start(mj_aspect *a, const mj_tables *tables, const mj_states *states, const mj_side *side,
                          const mj_parts *parts, const mj_spots *places, const mj_space_spec *spec, bool told,
                          mj_fold_reason *reason);
void mj_aspect_free(mj_aspect *a);

/* A tuple without a winning tile, with this element of it; MJ_NO_TUPLE for want of memory. */
uint32_t mj_aspect_won(mj_aspect *a, uint32_t tuple, unsigned element);

/* The tuples of a part's readings as a set; false when it is full. */
bool mj_aspect_set(const mj_aspect *a, const mj_part *part, const uint32_t *row, mj_set *set);

/* A part with its winning tile: that part, and the places of the winning tile. */
typedef struct mj_marked_part {
    unsigned part;
    bool is_void;
    const mj_part *p;
    unsigned rank, own, all;             /* copies held before the win: concealed, in all */
    const mj_spot *places;
    unsigned n_places;
} mj_marked_part;

/* The same of a marked part and its row of vectors, `claimed` if the winning tile was another's; *full when there are too many. */
mj_status mj_aspect_marked_set(mj_aspect *a, const mj_marked_part *mark, const uint32_t *row, bool claimed,
                               mj_set *set, bool *full);

/* The vector of a place of the winning tile that was claimed; all such vectors are known. */
uint32_t mj_claimed_vector(mj_aspect *a, const mj_marked_part *mark, const mj_spot *place);

/* Whether what a hand waits for can matter to some of these tuples. */
bool mj_aspect_cares(const mj_aspect *a, const mj_set *set);

/* The sums of the tuples of two sets; *full when there are too many. */
mj_status mj_aspect_join(mj_aspect *a, const mj_set *x, const mj_set *y, mj_set *sum, bool *full);

/* prove_odd.c.  Puts the hands of odd shapes into a pool of rows of copies. */
mj_status mj_aspect_list_odd(const mj_aspect *a, mj_pool *found, mj_fold_reason *reason);

#endif
