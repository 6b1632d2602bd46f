/* Every hand there is, counted, listed, and as classes.  Part of mj.h. */
#ifndef MJ_API_SPACE_H
#define MJ_API_SPACE_H

#include "mj_batch.h"

/* ---- every hand there is ---------------------------------------------------------- */

typedef struct mj_counts {
    uint64_t suit_vectors;          /* one suit, at most fourteen tiles */
    uint64_t suit_complete;         /* of these: melds, with or without a pair */
    uint64_t standard;              /* 14 tiles, four melds and a pair, at most two of m p s */
    uint64_t seven_pairs;           /* 14 tiles, seven pairs, at most two of m p s */
    uint64_t closed;                /* either of the two */
    uint64_t merged_kongs;          /* standard, with 0 to 4 exposed pungs and kongs, kinds of kong merged */
    uint64_t standard_all_kinds;    /* 14 tiles of 34 kinds, four melds and a pair */
} mj_counts;

/* Counts by enumeration from the tables, not by formula. */
mj_status mj_count_hands(const mj_tables *tables, mj_counts *counts);

/* Writes the closed hands of mj_counts.closed, each once, in a fixed order: from number `first`
 * on, at most `capacity` of them, as rows of 27 copies.  *n is how many were written. */
mj_status mj_closed_hands(const mj_tables *tables, uint64_t first, uint32_t capacity,
                          uint8_t *rows, uint32_t *n);

/* ---- every hand there is, as classes ------------------------------------------------ */

/* The space of hands: a concealed part of any shape, beside it any set of melds of the allowed types, and
 * optionally a void suit.  Where a program asks for the winning tile, a hand is told with one of its concealed
 * tiles as that, once for each kind it holds; elsewhere none is told, and only how the tiles are.  Hands that
 * no program of a space can tell apart, nor the facts of a win that go with their melds, are one class.  A
 * class has an exact count, a smallest hand and a print.
 *
 * Smallest: fewest melds, then fewest kinds of tiles, then, suit by suit from m to z, the lowest: more
 * copies of the lowest concealed rank in which two hands differ, then the lower meld (by tile, then in the
 * order chow, pung, direct, added, concealed kong; any before none); last the lower winning tile, none before
 * any.  Classes come by their smallest hands.
 *
 * What lies on the table is no part of a hand, though a program may ask how many tiles are left there of those
 * that were waited for (MJ_F_WAITS_LEFT).  It is what anybody may be told: of each kind at least the own melds,
 * at most all but what is concealed.  So the numbers of tiles left that a hand can have are an interval; those
 * that no program can tell apart are a group, and a verdict is of a context and a group.  Groups are numbered
 * from the one with the most tiles left.
 *
 * Print: the sum over the hands of a class of the product of a number for each suit, modulo 2^61 - 1, for
 * two families of numbers that depend on tiles, melds and the winning tile alone.  Two sets of hands with the
 * same prints are the same set but for a chance of about one in 2^120; prints of disjoint sets add up. */
enum {
    MJ_MAX_SIDES = 2,
    MJ_MOST_LEFT = 76,        /* tiles that may be left of those that are waited for: of 19 kinds */
    MJ_KEYS = 64,
    MJ_KEY_MELDS = 1,         /* what of a hand decides which facts of a win may go with it: any melds at all; */
    MJ_KEY_DIRECT = 2,        /* kongs of each kind; */
    MJ_KEY_ADDED = 4,
    MJ_KEY_CONCEALED = 8,
    MJ_KEY_TWO_KONGS = 16,    /* two kongs or more; */
    MJ_KEY_ALONE = 32         /* the winning tile, where none is told some tile, is the only one of its kind */
};

/* A rule set in a space: its program and the contexts that a hand may be won in. */
typedef struct mj_side {
    const mj_program *program;
    const int32_t *facts;     /* by context, 32 numbers each: as in mj_hand */
    uint32_t untold;          /* 1: it is not told the winning tile, even where it asks for it */
} mj_side;

typedef struct mj_space_spec {
    mj_side sides[2];
    uint32_t n_sides;
    uint32_t n_contexts;
    const uint8_t *legal;     /* by context, MJ_KEYS truths: whether a hand of such a key is won so */
    const uint8_t *claimed;   /* by context: 1 where the winning tile is another's */
    uint32_t meld_types;      /* bits of mj_group_type: which are declared */
    uint32_t voids;           /* 1: also hands that have a void suit, where a program asks for it */
    uint32_t prints;          /* 1: classes are to have prints; else these are 0 */
    uint32_t bare;            /* 1: where winning tiles are told, also hands of which none is */
    const volatile uint32_t *stop;   /* where not NULL: other than 0 once there is to be no space any more */
} mj_space_spec;

typedef struct mj_space mj_space;

typedef struct mj_space_info {
    uint32_t reason;          /* mj_fold_reason of the first side that is not folded */
    uint32_t waits_unclear;   /* 1: waits are asked for that cannot be told suit by suit, 2: sides wait for
                                 different tiles and ask how many are left; then there is no space */
    uint32_t told;            /* 1: hands are told with their winning tiles */
    uint32_t voids;           /* 1: a side asks for the void suit, and hands are looked at with each */
    uint32_t left_side;       /* a side that asks how many tiles are left, where one does */
    uint32_t n_groups;        /* of numbers of tiles left */
    uint8_t group_of[77];     /* by that number */
    uint32_t n_items;         /* suits with their melds */
    uint32_t n_atoms;         /* of the first side */
    uint32_t n_suit_classes;  /* of the first suit */
    uint32_t n_classes;
    uint32_t n_verdicts[2];   /* distinct ones, by side */
} mj_space_info;

/* What hands of a class are worth in a context. */
typedef struct mj_proof {
    int64_t points;
    int64_t totals[4];
    uint64_t fans;            /* that count */
    uint64_t found;           /* that are there, before choice and absorption */
    uint64_t probes[4];       /* as in mj_result; and `ever` */
    uint64_t ever[4];
    uint32_t win;
    uint32_t tied;            /* as in mj_result */
} mj_proof;

/* One class.  Its smallest hand in the form of a batch: copies of 34 kinds, a word of melds, a void suit. */
typedef struct mj_hand_class {
    uint64_t count;
    uint64_t prints[2];
    uint32_t melds;
    uint8_t void_suit;
    uint8_t key;              /* MJ_KEY_… */
    uint8_t copies[34];
    uint8_t win_tile;         /* MJ_NONE where none is told */
    uint8_t left_matters;     /* 0: how many tiles are left makes no difference, and it has the first group only; */
    uint8_t left_low;         /* else at least so many may be left, and at most, where nothing but the own melds */
    uint8_t left_high;        /* is seen; both held at a number that all above are the same as */
} mj_hand_class;

/* Verdicts by class, context and group, as numbers into the side's list; number 0 is of a win that cannot be. */
mj_status mj_space_new(const mj_tables *tables, const mj_states *states, const mj_space_spec *spec,
                       mj_space **out, mj_space_info *info);
void mj_space_free(mj_space *space);
/* Whether a program asks for the winning tile (1), and if so whether it was another's (2). */
uint32_t mj_program_asks(const mj_program *program);
mj_status mj_space_classes(const mj_space *space, mj_hand_class *classes, uint32_t capacity);
mj_status mj_space_verdicts(const mj_space *space, uint32_t side, mj_proof *proofs, uint32_t n_proofs,
                            uint32_t *numbers, uint64_t n_numbers);

/* Every complete hand of melds and a pair or of pairs, one by one in a fixed order that is not that of the
 * classes: `first` are passed over, at most `capacity` are written as packed words and words of melds (the
 * honours' words are not written for a tile set without them).  `suits` is how many of m p s a hand may
 * have at most.  *n is how many were written, *total how many there are. */
typedef struct mj_parts mj_parts;
mj_status mj_parts_new(const mj_tables *tables, const mj_states *states, const mj_program *program,
                       uint32_t meld_types, mj_parts **out);
void mj_parts_free(mj_parts *parts);
mj_status mj_parts_hands(const mj_parts *parts, uint32_t suits, uint64_t first, uint32_t capacity,
                         uint64_t *words, uint64_t *honours, uint32_t *melds, uint32_t *n, uint64_t *total);

#endif
