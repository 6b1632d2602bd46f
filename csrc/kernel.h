/* What the kernel's own files share.  Nothing here is for callers; mj.h is.
 *
 *   space.c    memory for large tables
 *   suit.c     every complete suit and its readings
 *   hand.c     is this a hand at all?
 *   reading.c  a hand taken apart in every way its shapes allow
 *   feature.c  the numbers that a program reads from a hand and from a reading
 *   groups.c   all that a program reads of a reading, by tables
 *   verify.c   is this a program at all?
 *   program.c  a spec copied
 *   machine.c  a verified program run
 *   verdict.c  what becomes of fans, and what they come to
 *   score.c    the best reading
 *   waits.c    the tiles that complete a hand
 *   shanten.c  how many tiles are missing
 *   scan.c     every hand there is
 *
 * The settlement's own are in settle.h, those of batches in packed.h, fold.h and near.h.
 */
#ifndef MJ_KERNEL_H
#define MJ_KERNEL_H

#include <stdbool.h>

#include "mj.h"

/* ---- tiles --------------------------------------------------------------- */

enum {
    MJ_RANKS = 9,
    MJ_NUMBER_KINDS = 27,   /* the kinds below are of m p s, the others are honours */
    MJ_HONOURS = 3,         /* the fourth suit */
    MJ_MAX_TILES = 14
};

#define MJ_ALL_KINDS ((UINT64_C(1) << MJ_KINDS) - 1)

static inline uint64_t mj_bit(unsigned n)
{
    return UINT64_C(1) << n;
}

static inline unsigned mj_size(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* The lowest member of a set that is not empty. */
static inline unsigned mj_lowest(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

static inline unsigned mj_suit_of(unsigned kind)
{
    return kind < MJ_NUMBER_KINDS ? kind / MJ_RANKS : MJ_HONOURS;
}

static inline uint64_t mj_suit_kinds(unsigned suit)
{
    return (mj_bit(MJ_RANKS) - 1) << suit * MJ_RANKS & MJ_ALL_KINDS;
}

static inline bool mj_starts_run(unsigned kind)
{
    return kind < MJ_NUMBER_KINDS && kind % MJ_RANKS <= MJ_RANKS - 3;
}

/* ---- groups --------------------------------------------------------------- */

/* Sets of group types. */
enum {
    MJ_RUNS = 1 << MJ_RUN | 1 << MJ_CHOW,
    MJ_KONGS = 1 << MJ_DIRECT_KONG | 1 << MJ_ADDED_KONG | 1 << MJ_CONCEALED_KONG,
    MJ_TRIPLETS = 1 << MJ_TRIPLET | 1 << MJ_TRIPLET_CLAIMED | 1 << MJ_PUNG | MJ_KONGS,
    MJ_PAIRS = 1 << MJ_PAIR | 1 << MJ_TWIN,
    MJ_DECLARED = 1 << MJ_CHOW | 1 << MJ_PUNG | MJ_KONGS,
    MJ_ALL_TYPES = (1 << MJ_GROUP_TYPES) - 1
};

static inline bool mj_is_a(mj_group group, unsigned types)
{
    return types >> group.type & 1;
}

/* The kinds that a group is made of. */
static inline uint64_t mj_kinds_of(mj_group group)
{
    return (uint64_t)(mj_is_a(group, MJ_RUNS) ? 7 : 1) << group.tile;
}

/* ---- suits ------------------------------------------------------------------ */

enum {
    MJ_SUIT_INDICES = 1953125,   /* nine ranks of 0 to 4 copies: 5 to the 9 */
    MJ_SUIT_GROUPS = 5,          /* four melds and a pair */
    MJ_COMPLETE_SUITS = 21743,
    MJ_SUIT_READINGS = 23533
};

/* One way to take a suit apart; a group's tile is a rank here. */
typedef struct mj_suit_reading {
    mj_group groups[MJ_SUIT_GROUPS];
    uint8_t n_groups;
    uint8_t n_runs;
    uint8_t n_triplets;
    uint8_t n_pairs;
} mj_suit_reading;

struct mj_tables {
    uint16_t id[MJ_SUIT_INDICES];            /* by suit index; 0 where the suit is not complete */
    uint32_t index[MJ_COMPLETE_SUITS + 1];   /* by id, the way back */
    uint32_t first[MJ_COMPLETE_SUITS + 3];   /* by id, the place of its first reading; that of id + 1
                                                is where they end, so id 0 has none */
    mj_suit_reading readings[MJ_SUIT_READINGS];
};

/* suit.c.  What a tile of each kind adds to the index of its suit, or of the honours. */
extern const uint32_t mj_digits[MJ_KINDS];

/* Right only for counts up to four. */
static inline uint32_t mj_suit_index(const uint8_t *copies)
{
    uint32_t index = 0;
    for (unsigned rank = 0; rank < MJ_RANKS; rank++)
        index = index * 5 + copies[rank];
    return index;
}

/* ---- programs ---------------------------------------------------------------- */

#define MJ_LIMIT INT64_C(1000000000000000)

static inline int64_t mj_hold(int64_t value)
{
    return value > MJ_LIMIT ? MJ_LIMIT : value < -MJ_LIMIT ? -MJ_LIMIT : value;
}

/* Both terms are within the limit, so their sum is far from the end of an int64_t. */
static inline int64_t mj_held_sum(int64_t a, int64_t b)
{
    return mj_hold(a + b);
}

static inline int64_t mj_held_product(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? MJ_LIMIT : -MJ_LIMIT;
    return mj_hold(product);
}

/* When code runs.  A register may be read from the stage on that writes it. */
typedef enum mj_stage { MJ_SHAPE_STAGE = 0, MJ_FAN_STAGE, MJ_LATE_STAGE, MJ_FINAL_STAGE, MJ_STAGES } mj_stage;

typedef struct mj_code {
    mj_op *ops;
    uint32_t n;
} mj_code;

/* An alternative of a pattern, with the sets of tiles it needs for a quick no. */
typedef struct mj_example {
    uint64_t runs;
    uint64_t triplets;
    uint64_t kongs;
    uint64_t pairs;
    mj_group groups[MJ_MAX_MELDS + 1];   /* kongs first: what serves a kong may serve a triplet too */
    uint8_t n_groups;
} mj_example;

/* Features in use, by when they are needed and what they look at; of a reading after of a hand. */
enum { MJ_SHAPE_HAND = 0, MJ_SHAPE_READING, MJ_FAN_HAND, MJ_FAN_READING, MJ_FEATURE_LISTS };

typedef struct mj_feature_list {
    uint16_t *items;
    uint32_t n;
} mj_feature_list;

typedef struct mj_groups mj_groups;   /* groups.h */

struct mj_program {
    uint8_t copies[MJ_KINDS];
    uint8_t hand_size;
    uint32_t n_shapes;
    uint32_t n_fans;
    uint32_t n_constants;
    uint32_t n_picks;
    uint32_t n_absorptions;
    uint32_t n_early_absorptions;   /* these, the first, are between ordinary fans */
    mj_shape shapes[MJ_MAX_SHAPES];
    mj_fan fans[MJ_MAX_FANS];
    uint64_t late_fans;
    uint64_t limit_fans;
    mj_feature *features;
    mj_feature_list lists[MJ_FEATURE_LISTS];
    mj_groups *groups;
    mj_example *examples;
    uint32_t pattern_first[MJ_MAX_PATTERNS + 1];   /* place of a pattern's first example */
    int64_t *constants;
    mj_code code[MJ_STAGES];
    mj_absorption *absorptions;
    uint64_t *picks;
    uint16_t probes[MJ_MAX_PROBES];
    uint32_t n_probes;
    uint16_t money;
    uint16_t may_win;
    uint16_t may_wait;
    uint64_t loose_kinds;       /* kinds that a shape takes singly, with no neighbour */
    bool sees_wait;             /* some feature reads how the winning tile completed its group */
    bool sees_claim;            /* some feature tells a claimed triplet from another */
};

/* Whether a shape has parts that the suit tables know nothing of. */
static inline bool mj_is_special(const mj_shape *shape)
{
    return shape->n_twins + shape->n_each + shape->n_singles != 0;
}

/* Whether a shape has no other parts than pairs, of either sort. */
static inline bool mj_is_of_pairs(const mj_shape *shape)
{
    return shape->n_melds + shape->n_runs + shape->n_triplets + shape->n_each + shape->n_singles == 0;
}

/* Kinds of which the concealed part holds one, three or five. */
static inline uint64_t mj_odd_kinds(const mj_hand *hand)
{
    uint64_t odd = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        odd |= (uint64_t)(hand->concealed[kind] & 1) << kind;
    return odd;
}

/* Whether there is such a kind. */
static inline bool mj_holds_odd(const mj_hand *hand)
{
    uint8_t any = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        any |= hand->concealed[kind];
    return any & 1;
}

/* ---- what the files offer each other ------------------------------------------- */

/* space.c.  Memory that is not cleared, NULL for want of it; for free(). */
void *mj_new_space(size_t bytes);

/* hand.c.  MJ_OK for a well-formed hand of min to max tiles, kongs counted as three.  With
 * `question`, the winning tile must be a concealed one and may stand one above the tile set;
 * without, it is not looked at. */
mj_status mj_check_hand(const mj_program *program, const mj_hand *hand, unsigned min, unsigned max,
                        bool question);

/* verify.c.  What an instruction of MJ_OP_ADD to MJ_OP_SELECT reads and writes; MJ_UNWRITTEN is
 * nothing.  That of a SELECT is of the one between numbers. */
typedef enum mj_type { MJ_UNWRITTEN = 0, MJ_NUMBER, MJ_TRUTH } mj_type;

typedef struct mj_signature {
    mj_type reads[3];
    mj_type writes;
} mj_signature;

mj_signature mj_signature_of(mj_opcode op);

/* Which features the code of a good spec reads, and whether shape code does. */
typedef struct mj_usage {
    bool used[MJ_MAX_FEATURES];
    bool by_shapes[MJ_MAX_FEATURES];
} mj_usage;

mj_status mj_verify(const mj_spec *spec, mj_usage *usage, uint32_t *where);

/* reading.c.  Called for each reading in order; false ends the search. */
typedef bool mj_visit(void *context, const mj_reading *reading);

/* The hand must have been checked, or be a checked one with a tile exchanged.  Without
 * `all_places`, a reading comes with the first place of the winning tile only. */
void mj_each_reading(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                     bool all_places, mj_visit *visit, void *context);
/* The same where the ids of the suits are known. */
void mj_each_reading_of(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                        const uint16_t ids[MJ_HONOURS], bool all_places, mj_visit *visit, void *context);

/* How the winning tile completes a group that holds it. */
mj_wait mj_wait_of(mj_group group, unsigned win_tile);

/* Whether a program can tell two places of the winning tile apart. */
static inline bool mj_sees_places(const mj_program *program, const mj_hand *hand)
{
    return program->sees_wait || (program->sees_claim && hand->claimed);
}

/* feature.c.  A hand as features see it. */
typedef struct mj_view {
    const mj_tables *tables;
    const mj_program *program;
    const mj_hand *hand;
    uint8_t copies[MJ_KINDS];               /* melds included */
    uint64_t with_copies[MJ_MAX_COPIES + 2]; /* held kinds by copies; five only as a question */
    uint64_t konged;
    uint64_t live_waits;                    /* once known: they are dear and asked for by few */
    bool knows_waits;
} mj_view;

void mj_view_hand(mj_view *view, const mj_tables *tables, const mj_program *program,
                  const mj_hand *hand);
bool mj_feature_is_truth(mj_feature_kind kind);
bool mj_feature_is_of_reading(mj_feature_kind kind);
int64_t mj_hand_feature(mj_view *view, const mj_feature *feature);
/* Of a reading: groups of a sort, and whether a pattern is there. */
int64_t mj_count_groups(const mj_reading *reading, const mj_feature *feature);
bool mj_has_pattern(const mj_program *program, const mj_reading *reading, const mj_feature *feature);
/* The group types that serve where an example shows this one. */
unsigned mj_types_like(unsigned type);
int64_t mj_reading_feature(const mj_view *view, const mj_feature *feature, const mj_reading *reading);

/* machine.c.  The working memory of one hand's judgement; it lives on the stack. */
typedef struct mj_machine {
    mj_view view;
    int64_t features[MJ_MAX_FEATURES];
    int64_t registers[MJ_MAX_REGISTERS];
} mj_machine;

int64_t mj_held_power(int64_t base, int64_t exponent);

void mj_machine_start(mj_machine *machine, const mj_tables *tables, const mj_program *program,
                      const mj_hand *hand);
/* Runs the shape code; whether the reading's shape is allowed. */
bool mj_machine_allows(mj_machine *machine, const mj_reading *reading);
/* Reads what only fans see of the hand. */
void mj_machine_look(mj_machine *machine);
void mj_machine_find_fans(mj_machine *machine, const mj_reading *reading);
void mj_machine_find_late_fans(mj_machine *machine, bool no_other);
void mj_machine_finish(mj_machine *machine, const int64_t totals[MJ_UNITS]);

/* Straight-line code; `features` and `facts` are read by the instructions of these names. */
void mj_run(const mj_code *code, const int64_t *features, const int32_t *facts, int64_t *registers);

/* verdict.c.  The fans of a reading under one choice from the pick-one sets, and what they come to. */
typedef struct mj_verdict {
    uint64_t standing;                /* fans that count */
    int64_t n_fans;                   /* how often, all together */
    int64_t totals[MJ_UNITS];
    int64_t money;
    bool may_win;
    bool may_wait;
    uint16_t counts[MJ_MAX_FANS];     /* of the fans that stand: of no other is there anything to read */
} mj_verdict;

static inline unsigned mj_standing(const mj_verdict *verdict, unsigned fan)
{
    return verdict->standing >> fan & 1 ? verdict->counts[fan] : 0;
}

/* How often a fan is there whose count is this number. */
uint16_t mj_count_of(int64_t number);

/* Ways to choose from the pick-one sets where these ordinary fans are found, and the fans that a choice keeps; one in
 * several sets only if it is chosen in all of them. */
uint32_t mj_count_choices(const mj_program *program, uint64_t found);
uint64_t mj_kept_fans(const mj_program *program, uint64_t found, uint32_t choice);

/* Judges the ordinary fans anew, or adds the late ones: those that are found and kept, less what is absorbed. */
void mj_judge_fans(const mj_program *program, bool late, uint64_t found, const uint16_t *counts, uint64_t kept,
                   mj_verdict *verdict);
/* Whether an ordinary fan stands. */
bool mj_stands_any(const mj_program *program, const mj_verdict *verdict);
/* The totals; `values` are what one of each fan that stands is worth. */
void mj_sum_up(const mj_program *program, const int64_t *values, mj_verdict *verdict);

/* Above 0 where `a` is the better, 0 where nothing tells them apart: by the worth, and of equals by the fans, of which
 * fewer are better.  Of those that are alike in both the earlier one is taken. */
int mj_compare_worths(const mj_verdict *a, const mj_verdict *b);
int mj_compare_fans(const mj_verdict *a, const mj_verdict *b);

/* score.c.  A hand's readings weighed one by one; the best so far is in the result. */
typedef struct mj_judgement {
    const mj_tables *tables;
    const mj_program *program;
    const mj_hand *hand;
    mj_result *result;
    mj_verdict best;
    bool started;
    uint16_t found[MJ_MAX_FANS];   /* how often each fan is there in the reading at hand */
    mj_machine machine;
} mj_judgement;

void mj_begin_judgement(mj_judgement *j, const mj_tables *tables, const mj_program *program,
                        const mj_hand *hand, mj_result *result);

/* An mj_visit for an mj_judgement. */
bool mj_weigh(void *judgement, const mj_reading *reading);

/* waits.c.  Kinds that complete a checked hand of hand_size tiles. */
uint64_t mj_completing_kinds(const mj_tables *tables, const mj_program *program, const mj_hand *hand);

#endif
