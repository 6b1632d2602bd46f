/* Folds: a rule file's program turned into small tables.
 *
 *   sight.c       what a program sees of a part of a hand, as counts that are added up
 *   atom.c        the program cut: what depends on tiles alone becomes atoms, each a small monoid
 *   suits.c       every state of a suit, and what is seen of it
 *   classes.c     states as classes
 *   fold.c        classes joined; the tables
 *   worths.c      what the joined classes are worth
 *   pool.c        distinct items, numbered
 *   fold_batch.c  hands scored by looking up
 *   won_batch.c   the same where the rules ask how the winning tile came in
 *   value_batch.c waits valued by looking up
 *
 * A hand is the sum of its parts: three suits, the honours, the melds.  Every feature is a sum over
 * parts of what is seen of each (a *vector* of counts), so the program's conditions depend on that
 * sum only.  An *atom* is a register of the program that depends on such sums alone.  Two sums
 * are the same to an atom when no further sum can tell them apart; its sums are thereby a few
 * *elements* which can be added by a table.  A *tuple* is one element for each atom.  A part's
 * *class* is the set of the tuples of its readings; classes are joined by adding tuples, and what
 * a joined class is worth is found by running the rest of the program once for each context.
 */
#ifndef MJ_FOLD_H
#define MJ_FOLD_H

#include "packed.h"

enum {
    MJ_COORDS = 32,
    MJ_ATOMS = 64,
    MJ_ATOM_COORDS = 8,
    MJ_ELEMENTS = 128,
    MJ_SET_SIZE = 16,
    MJ_PARTS = 4,            /* m p s z */
    MJ_SUIT_SLOTS = 1 << MJ_SUIT_BITS,
    MJ_NO_TILES = 15,        /* in place of a number of tiles: no state of a suit */
    MJ_PUNG_OVERLAP = 4 * MJ_KINDS,   /* added to the code of a pung whose fourth tile is concealed */
    MJ_ALL_MELD_CODES = MJ_MELD_CODES + MJ_KINDS,
    MJ_PUNG_CODES = 1 + MJ_KINDS,      /* codes from here on are pungs, */
    MJ_KONG_CODES = 1 + 2 * MJ_KINDS,  /* and from here on kongs */
    MJ_OWN_COPIES = 6,       /* of the winning tile, itself included, up to a fifth; 0 where none is told */
    MJ_SUIT_HELD = (1 << MJ_RANKS) - 1
};

/* How tiles are taken apart: into melds and a pair, into twins, or otherwise. */
typedef enum mj_manner {
    MJ_PLAIN = 0,
    MJ_TWINS,
    MJ_MANNERS,
    MJ_ODD = MJ_MANNERS   /* by an each-of part: only that it may be is known */
} mj_manner;

/* ---- sight.c ------------------------------------------------------------------ */

typedef struct mj_vector {
    uint64_t bytes[MJ_COORDS / 8];
} mj_vector;

static inline void mj_add(mj_vector *sum, const mj_vector *v)
{
    for (unsigned i = 0; i < MJ_COORDS / 8; i++)
        sum->bytes[i] += v->bytes[i];
}

static inline void mj_take_away(mj_vector *sum, const mj_vector *v)
{
    for (unsigned i = 0; i < MJ_COORDS / 8; i++)
        sum->bytes[i] -= v->bytes[i];
}

static inline unsigned mj_coord(const mj_vector *v, unsigned coord)
{
    return v->bytes[coord / 8] >> coord % 8 * 8 & 255;
}

static inline void mj_raise(mj_vector *v, unsigned coord, unsigned by)
{
    v->bytes[coord / 8] += (uint64_t)by << coord % 8 * 8;
}

typedef struct mj_sight {
    const mj_program *program;
    uint8_t first[MJ_MAX_FEATURES];   /* a feature's first coordinate, or MJ_NONE: it is always 0 */
    uint8_t n_of[MJ_MAX_FEATURES];
    uint32_t capped;             /* coordinates that are added as truths are */
    uint32_t once;               /* coordinates that only one part of a hand may have */
    unsigned n_coords;
    unsigned pairs;              /* the coordinate of pairs, or MJ_NONE where their number is clear */
    bool sees_void;
    bool sees_copies;            /* how often a kind is held */
    bool sees_own;               /* copies of the winning tile in the concealed part */
    bool sees_win;               /* more of the winning tile */
    bool sees_waits;             /* of that: the waits before it came */
    bool marks;                  /* parts are looked at with the winning tile marked in them */
    bool melds_mix;              /* concealed and exposed groups are seen together: no sum over parts */
    bool overlap_sinks;          /* a pung's fourth tile can make a count smaller */
    mj_vector groups[MJ_GROUP_TYPES][MJ_KINDS];
    mj_vector copies[MJ_KINDS][MJ_MAX_COPIES + 1];
    mj_vector melds[MJ_ALL_MELD_CODES];
} mj_sight;

/* Whether a feature is of the winning tile. */
bool mj_is_of_win(unsigned feature_kind);

/* With `marks`, how the winning tile completed its group is a coordinate of the part that holds it. */
mj_fold_reason mj_look(mj_sight *sight, const mj_program *program, const bool *live, bool marks);

/* A feature's value for a sum over all parts. */
int64_t mj_feature_of_sum(const mj_sight *sight, unsigned feature, const mj_vector *sum);

/* ---- atom.c --------------------------------------------------------------------- */

/* A vector that a part may have, with the fewest tiles that make it. */
typedef struct mj_generator {
    mj_vector vector;
    unsigned tiles;
} mj_generator;

typedef struct mj_atom {
    uint16_t reg;
    uint8_t n_coords;
    uint8_t coords[MJ_ATOM_COORDS];
    uint32_t strides[MJ_ATOM_COORDS];
    uint32_t size;                 /* of the table by sums */
    uint8_t *element_of;           /* by sum; MJ_NONE where no part has it */
    unsigned n;
    uint8_t sum[MJ_ELEMENTS][MJ_ELEMENTS];
    int64_t values[MJ_ELEMENTS];
    bool dead[MJ_ELEMENTS];        /* no hand with this may win */
} mj_atom;

/* The program cut in two. */
typedef struct mj_cut {
    mj_atom *atoms;
    unsigned n_atoms;
    bool live[MJ_MAX_FEATURES];
    mj_program rest;               /* what is run on atoms and contexts; shares most of the program */
    mj_code context_code;          /* what depends on facts and the winning tile's own copies alone */
    bool wait_is_told;             /* by that code it is known whether a tile counts as a wait */
    uint16_t *context_registers;   /* of these, what the rest reads */
    unsigned n_context_registers;
} mj_cut;

/* Marks the registers that are read by no instruction but for what they stand for; with `waits` that of what
 * counts as a wait is one. */
void mj_mark_roots(const mj_program *program, bool waits, bool *live);

/* Marks also the registers that these depend on. */
void mj_mark_live(const mj_program *program, bool waits, bool *live);

/* Which features matter to a win and its worth, and with `waits` to whether it counts as a wait. */
void mj_find_live(const mj_program *program, bool waits, bool *live_features);
mj_status mj_cut_program(mj_cut *cut, const mj_program *program, const mj_sight *sight, bool waits,
                         const mj_generator *generators, unsigned n_generators, mj_fold_reason *reason);
void mj_free_cut(mj_cut *cut);

/* ---- suits.c ---------------------------------------------------------------------- */

enum {
    MJ_STATES = 32768,
    MJ_OPEN_STATES = MJ_STATES - 16,            /* and the number of tiles: a suit without a reading */
    MJ_NO_STATE = MJ_OPEN_STATES + MJ_NO_TILES  /* more than fourteen tiles, or not an index at all */
};

/* Every state of a number suit that has a reading of either manner, and where each index leads. */
struct mj_states {
    uint16_t id[MJ_SUIT_SLOTS];
    uint16_t held[MJ_SUIT_SLOTS];   /* a bit for each rank that is held, then the number of tiles */
    uint8_t honours_held[MJ_HONOUR_INDICES];
    uint64_t meld_kinds[256];       /* by code of a meld; all bits where it is none */
    uint32_t n;                     /* ids are 1 to n; those of mj_tables first */
    uint32_t index[MJ_STATES];
    uint32_t copies[MJ_STATES];     /* three bits for each rank */
    uint16_t may_hold[MJ_STATES];   /* a bit for each rank that is held, or in a suit without a reading may be */
    uint8_t tiles[MJ_STATES];
    bool even[MJ_STATES];
};

typedef struct mj_tuple {
    uint8_t elements[MJ_ATOMS];
    uint8_t manner;
} mj_tuple;

/* The elements of a vector's atoms (classes.c); false where some atom has none, or a dead one. */
bool mj_tuple_of(const mj_cut *cut, const mj_sight *sight, const mj_vector *v, mj_manner manner, mj_tuple *tuple);

/* A set of tuples, by their numbers in ascending order. */
typedef struct mj_set {
    uint32_t tuples[MJ_SET_SIZE];
    uint32_t n;
} mj_set;

#define MJ_NO_TUPLE UINT32_MAX

/* Puts a tuple into a set (classes.c); false when it is full.  No tuple is no member. */
bool mj_put_tuple(mj_set *set, uint32_t tuple);

/* Items of one size, each once.  `slots` are places by hash, counted from 1. */
typedef struct mj_pool {
    uint8_t *items;
    uint32_t *slots;
    uint32_t size, n, capacity, mask;
} mj_pool;

bool mj_pool_start(mj_pool *pool, uint32_t size);
void mj_pool_free(mj_pool *pool);
/* The item's number, UINT32_MAX for want of memory. */
uint32_t mj_pool_put(mj_pool *pool, const void *item);

static inline const void *mj_pool_get(const mj_pool *pool, uint32_t n)
{
    return pool->items + (size_t)n * pool->size;
}

/* The winning tile in a part of a hand: its kind, or MJ_NONE, and whether it was another's. */
typedef struct mj_mark {
    uint8_t kind;
    bool claimed;
} mj_mark;

/* Marks the winning tile in group i of a reading and in what is seen of it; false where it is not held there,
 * or the group before is the same. */
bool mj_place_mark(const mj_sight *s, mj_mark mark, unsigned i, mj_reading *reading, mj_vector *v);

/* The readings of a suit's states with a tile marked: numbers of vectors, from first[mark] on, by mark,
 * (state * MJ_RANKS + rank) * variants + claimed. */
enum { MJ_OF_TWINS = 1 << 30 };          /* added to those of readings of twins */
typedef struct mj_marked {
    uint32_t *numbers, *first;
} mj_marked;

/* What a sight sees of the states of the suits: numbers of vectors in `vectors` by suit, whether it is the
 * void suit, and reading; readings of both manners in one row, as mj_state_readings counts them. */
typedef struct mj_seen {
    mj_pool vectors;
    uint8_t *tiles;                      /* of each vector, the fewest */
    uint32_t *rows[2][MJ_HONOURS];       /* NULL where not looked at */
    uint32_t *first;                     /* by state id: its first reading in a row; melds before twins */
    uint32_t n_readings;
    unsigned variants;                   /* of marks: 0 none, 2 where it matters whose tile it was */
    mj_marked marked[2][MJ_HONOURS];
} mj_seen;

mj_status mj_see_suits(mj_seen *seen, const mj_sight *sight, const mj_tables *tables,
                       const mj_states *states, bool voids);
void mj_free_seen(mj_seen *seen);

/* A state of the honours has at most one reading of each manner: their vectors, false where none. */
bool mj_see_honours(const mj_sight *sight, const uint8_t *copies, mj_manner manner, mj_mark mark, mj_vector *v);

/* ---- fold.c ------------------------------------------------------------------------ */

/* The columns of batches come first: fold_batch.c takes points and fans in one piece. */
typedef struct mj_worth {
    int64_t points;
    uint64_t fans;
    int32_t total;              /* of the unit that batches give back */
    uint32_t win;
    int64_t totals[MJ_UNITS];
} mj_worth;

/* The working memory in which classes are judged, for the rest of a program that was cut; NULL for want of
 * memory.  It is for free(). */
typedef struct mj_court {
    mj_judgement judgement;
    mj_hand hand;
    mj_result result;
} mj_court;

mj_court *mj_open_court(const mj_tables *tables, const mj_program *rest);

/* What a result is worth: zeros where it does not win. */
mj_worth mj_worth_of(const mj_result *result, unsigned unit);

enum {
    MJ_REST = 125,          /* the last three ranks of an index */
    MJ_NO_CLASS = 0,        /* the class of what has no reading */
    MJ_NO_WIN = 0,          /* the worth of a hand that does not win, */
    MJ_ODD_HAND,            /* and of one that an odd shape may take apart */
    MJ_CLASS_BITS = 12,     /* tables of suits hold the number of tiles above the class */
    MJ_CLASS_MASK = (1 << MJ_CLASS_BITS) - 1,
    MJ_MAX_CLASSES = MJ_CLASS_MASK / MJ_HONOURS,  /* so that three of them add up without a carry */
    MJ_MAX_TRIPLES = 1 << 16                      /* of classes of suits that are joined by one look-up */
};

#define MJ_ODD_VALUE INT64_MIN   /* of a wait, as MJ_ODD_HAND */
#define MJ_NO_POINTS INT64_MIN

/* What is told of the winning tile beside its place in a reading. */
enum {
    MJ_TELL_OWN,            /* its copies in the concealed part, as in MJ_OWN_COPIES */
    MJ_TELL_ALL,            /* the same with the own melds */
    MJ_TELL_KIND,           /* its kind, counted from 1 */
    MJ_TELL_VOID,           /* 1: it is of the void suit */
    MJ_TELL_WAITS,          /* waits before it came, live ones */
    MJ_TELL_LEFT,           /* their tiles that are not seen */
    MJ_TELLINGS,
    MJ_TOLD = MJ_KINDS * MJ_MAX_COPIES + 1   /* numbers that may be told, from 0 on; higher ones are the last */
};

/* The shapes of a program, as waits and shanten are looked up: melds and a pair, twins, and an each-of part with few
 * tiles beside it. */
typedef struct mj_near_plan {
    bool melds_too, twins_too;
    unsigned melds;
    unsigned twins;
    uint64_t each;      /* kinds of the each-of part */
    uint64_t in_set;    /* kinds of the tile set */
    unsigned tiles;     /* of a waiting hand */
} mj_near_plan;

/* Where the rules ask for more of the winning tile than its copies: the contexts of hands that tell it, and
 * the classes of parts in which it is marked. */
typedef struct mj_won {
    const mj_near *near;                /* NULL where nothing asks for waits */
    mj_near_plan plan;                  /* by which they are looked for */
    /* What is told, counted up: sorts of numbers that the program cannot tell apart, times a stride. */
    uint32_t place_of[MJ_TELLINGS][MJ_TOLD];
    uint32_t n_told;
    uint32_t n_base;                    /* the same without the waits, which come last */
    bool asks[MJ_TELLINGS];             /* more than one sort of numbers can be told */
    uint16_t situation_of[MJ_SITUATIONS];
    uint16_t *context_of;               /* situation * n_told + told */
    /* What is known before the waits are: sets of contexts, by situation * n_early + early.  That is n_base for each
     * number of the winning tile's copies that may be left, and the last where none is told. */
    uint32_t n_lefts, n_early;
    uint16_t *early_of;
    uint32_t n_sets;
    uint16_t *early_worth_of, *final_early_worth_of;  /* class * n_sets + set; MJ_ODD_HAND: the waits matter */
    unsigned variants;                  /* as in mj_seen */
    /* Classes and tiles of a suit, and of the void suit: by state, behind these by mark as in mj_marked; tables of
     * equal suits are the same. */
    uint16_t *suits[2][MJ_HONOURS];
    uint16_t *honour_marks;             /* (index * MJ_HONOUR_KINDS + i) * variants + claimed */
} mj_won;

struct mj_folds {
    const mj_states *states;
    mj_won *won;                        /* NULL where nothing but copies is asked, or no winning tile is told */
    /* Classes and tiles; tables of equal suits are the same. */
    uint16_t *suits[MJ_HONOURS];        /* by suit index */
    uint16_t *voids[MJ_HONOURS];        /* of the void suit, by state */
    uint16_t *honour_classes;           /* the same by index */
    uint32_t n_classes[MJ_PARTS];
    uint16_t *joins[MJ_PARTS];          /* joined class * n_classes + class of this suit; [0] is not used */
    uint16_t *three_suits;              /* the three suits joined by all of their classes, or NULL: they are too many */
    uint16_t code_class[256];           /* classes of melds by code */
    uint64_t in_set;                    /* kinds of the tile set */
    uint16_t *pair_melds, *all_melds;   /* two codes' classes, two pairs' classes */
    uint32_t n_codes, n_pair_melds, n_joined;
    uint32_t no_melds;                  /* the class of none */
    uint16_t *with_melds;               /* class of the melds * n_joined + joined class: a final class */
    uint16_t *three_finals;             /* by places in three_suits, without honours and melds: for waits, or NULL */
    uint16_t *worth_of;                 /* class * n_contexts + context, of hands without melds */
    uint16_t *final_worth_of;           /* the same of final classes */
    uint16_t *plain_worths[2];          /* by places in three_suits: an own draw, a discard, no flags; or NULL */
    mj_worth *worths;
    bool fifth_counts;                  /* a fifth copy may count as a wait */
    int64_t *values;                    /* of waits: class * MJ_OWN_COPIES + copies; classes as in worth_of */
    uint16_t context_of[MJ_SITUATIONS][MJ_OWN_COPIES];
    uint32_t n_contexts;
    uint32_t uses;
    const mj_program *program;          /* of `won` */
    unsigned tiles;                     /* of a complete hand */
    bool honours;
    bool sees_win;                      /* more of the winning tile than its copies in the concealed part: with
                                           it hands are looked up by `won` only */
    bool sees_own;                      /* those */
    bool sees_void;
    bool sees_copies;                   /* how often a kind is held */
    bool overlap_sinks, melds_mix;
    bool odd;                           /* some hands may be taken apart by odd shapes */
};

#endif
