/* How near the states of suits are to being part of a hand, whatever the rules: the tables by which batches
 * find waits and shanten.
 *
 *   near.c         the tables
 *   near_batch.c   hands looked up
 */
#ifndef MJ_NEAR_H
#define MJ_NEAR_H

#include "look.h"

/* What a suit waits for, in one word.  Whether a pair is wanted with the tile need not be told: the number
 * of tiles decides it, but for hands with three pairs beside it, which only honours make possible. */
enum {
    MJ_WAITED = MJ_SUIT_HELD,          /* ranks that complete the suit */
    MJ_ODD_SHIFT = MJ_RANKS,           /* then ranks with an odd number of copies */
    MJ_WHOLE_SHIFT = 2 * MJ_RANKS,     /* then whether the suit is complete as it stands */
    MJ_PAIRED_SHIFT,                   /* and with a pair */
    MJ_COUNT_SHIFT                     /* then the number of tiles */
};

/* How many tiles a suit lacks, in one word of 16 bits. */
enum {
    MJ_LACK_CLASS = 255,               /* parts that lack the same for each number of melds and pairs, */
    MJ_LACK_CLASSES = 256,
    MJ_SUIT_LACKS = 128,               /* those of suits below those that only honours are in */
    MJ_PAIRS_SHIFT = 8,                /* then the number of pairs, four alike counted as two */
    MJ_PAIRS_MASK = 7 << MJ_PAIRS_SHIFT,
    MJ_LACK_COUNT_SHIFT = 12,          /* then the number of tiles */
    MJ_LACK_WANTS = 2 * (MJ_MAX_MELDS + 1),
    MJ_LACK_PAIRS = 1 << 15,           /* classes of two suits, at most */
    MJ_LACKS_ALL = 15                  /* cannot be had */
};

/* Tiles that are lacking, by 2 * melds + pairs. */
typedef struct mj_lack {
    uint8_t of[MJ_LACK_WANTS];
} mj_lack;

/* What two parts lack together for so many melds and a pair. */
static inline uint8_t mj_lacking(const mj_lack *a, const mj_lack *b, unsigned melds)
{
    uint8_t best = MJ_LACKS_ALL;
    for (unsigned i = 0; i <= 2 * melds + 1; i++) {
        const unsigned sum = (unsigned)a->of[i] + b->of[2 * melds + 1 - i];
        best = sum < best ? (uint8_t)sum : best;
    }
    return best;
}

struct mj_near {
    uint32_t waits[MJ_SUIT_SLOTS];
    uint16_t lacks[MJ_SUIT_SLOTS];
    uint32_t honour_waits[MJ_HONOUR_INDICES];
    uint16_t honour_lacks[MJ_HONOUR_INDICES];
    uint16_t two_lack[MJ_LACK_CLASSES * MJ_LACK_CLASSES];   /* class of two suits, by class and class */
    mj_lack *pairs;                                         /* what those lack together */
    uint8_t *three_lack[MJ_MAX_MELDS + 1];                  /* by class of two, and class of the third */
};

/* near_batch.c.  False where the tables do not tell the waits of hands under this program. */
bool mj_plan_near(mj_near_plan *plan, const mj_program *program);

/* The kinds that complete hands of a batch by such a plan, given as a block, of which no more than its n rows are
 * read; rows that are no waiting hands for certain, or that are not looked up, are listed. */
unsigned mj_near_waits(const mj_near *near, const mj_states *states, const mj_near_plan *plan, const mj_batch *batch,
                       const mj_block *block, mj_width width, uint64_t *kinds, uint16_t *others);

#endif
