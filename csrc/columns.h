/* Hands judged in columns: what every rule file can do that is not folded into tables, many hands at once.
 *
 *   columns.c        blocks of hands judged; the best of each hand's readings
 *   columns_hands.c  the hands of a block as columns, and what a program sees of them
 *   columns_plan.c   a program's code as steps over columns
 *   columns_run.c    the steps run
 *   groups.c         what a program sees of a reading, group by group
 *   verdict.c        what becomes of fans: shared with the hands that are judged one by one
 *
 * The readings of many hands stand in a buffer, one after another.  Each register of the program is a column with a
 * place for every reading of the buffer, and each instruction a loop over such columns, which the compiler makes one
 * over wide registers.  How large numbers can get is known before anything is run, so most columns are of one or two
 * bytes.  What is decided for each reading by itself, as which fans stand and whether it beats the readings before, is
 * decided by the functions that decide it for a single hand.
 */
#ifndef MJ_COLUMNS_H
#define MJ_COLUMNS_H

#include "packed.h"

enum { MJ_READINGS = 256 };   /* of the buffer */

/* ---- columns_plan.c ------------------------------------------------------------------ */

/* What the places of a column are. */
typedef enum mj_lane {
    MJ_TRUTHS = 0,    /* uint8_t: 0 or 1 */
    MJ_SMALL,         /* int16_t */
    MJ_WIDE,          /* int64_t */
    MJ_LANES
} mj_lane;

/* A column with a place for each reading of the buffer. */
typedef struct mj_strip {
    uint32_t at;      /* where it begins, in bytes */
    uint8_t lane;
} mj_strip;

/* An instruction over columns.  Numbers that it reads are of its lane, as is what it writes; truths are truths.  A step
 * beyond the opcodes makes the numbers of `a` wide. */
enum { MJ_STEP_WIDEN = MJ_OPCODES };
typedef struct mj_step {
    uint16_t op;
    uint16_t lane;
    uint32_t to, a, b, c;
} mj_step;

/* A number that the hands or readings have: a feature, or the fact of a slot. */
typedef struct mj_source {
    uint16_t number;
    mj_strip column;
} mj_source;

typedef struct mj_sources {
    mj_source *items;
    uint32_t n;
} mj_sources;

/* The same number for all readings. */
typedef struct mj_fill {
    mj_strip column;
    int64_t value;
} mj_fill;

typedef struct mj_plan {
    mj_step *steps;
    uint32_t first[MJ_STAGES + 1];   /* of each stage */
    mj_fill *fills;
    uint32_t n_fills;
    mj_sources hand_features, reading_features, facts;
    mj_strip allowed[MJ_MAX_SHAPES];   /* by shape: truths; where it has no condition, the constant */
    mj_strip counts[MJ_MAX_FANS], values[MJ_MAX_FANS];
    mj_strip no_other, totals[MJ_UNITS], money, may_win, may_wait;
    uint32_t bytes;                  /* of all columns */
} mj_plan;

/* `facts` are those of all hands where they do not vary, else by situation as in mj_batch.  A plan is
 * to be freed also where there was no memory for all of it. */
mj_status mj_plan_new(mj_plan *plan, const mj_program *program, const int32_t *facts, bool vary);
void mj_plan_free(mj_plan *plan);

/* ---- columns_run.c -------------------------------------------------------------------- */

/* Runs the steps of a stage for the first n readings, or a few more: whole columns are as good. */
void mj_run_stage(const mj_plan *plan, mj_stage stage, unsigned n, mj_width width, uint8_t *columns);

/* Adds to the set of each reading those of the fans that are found in it: whose counts are above 0. */
void mj_find_fans(const mj_plan *plan, uint64_t fans, unsigned n, mj_width width, const uint8_t *columns,
                  uint64_t *found);

/* ---- columns_hands.c ------------------------------------------------------------------- */

/* Hands as they are asked about, no more than a block of them. */
typedef struct mj_asked {
    unsigned n;
    const uint64_t *words;          /* with room up to a whole block, where there are no hands */
    const uint32_t *honours;
    const uint32_t *melds;          /* NULL: no melds */
    const uint8_t *win, *voids, *by, *flags;
    const uint8_t *seen;            /* rows of so many kinds, or NULL */
    const uint32_t *rows;           /* of these, by hand */
    unsigned kinds;
} mj_asked;

/* The hands of a block, by kind and hand. */
typedef struct mj_hand_columns {
    uint8_t concealed[MJ_KINDS][MJ_BLOCK];
    uint8_t held[MJ_KINDS][MJ_BLOCK];       /* melds included */
    uint8_t konged[MJ_KINDS][MJ_BLOCK];     /* 1 where the kind is a kong; only where some hand has melds */
    uint8_t n_melds[MJ_BLOCK];
    mj_group melds[MJ_BLOCK][MJ_MAX_MELDS];
    uint32_t index[MJ_HONOURS][MJ_BLOCK];   /* of the suits */
    uint16_t situation[MJ_BLOCK];
    uint8_t own[MJ_BLOCK];                  /* copies of the winning tile in the concealed part, itself included */
    uint8_t good[MJ_BLOCK];                 /* 1: it is a hand for certain */
    uint8_t odd[MJ_BLOCK];                  /* 1: of some kind it holds one or three concealed */
    bool has_melds;
} mj_hand_columns;

/* Hands behind the last are not good. */
void mj_read_hands(const mj_program *program, const mj_asked *asked, mj_width width, mj_hand_columns *hands);

/* Whether a feature of a hand is read from columns; the others are found hand by hand. */
bool mj_is_columnar(unsigned feature_kind);
void mj_look_at_hands(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands, mj_width width,
                      uint8_t *values);

/* ---- columns.c ------------------------------------------------------------------------------ */

typedef struct mj_columns mj_columns;

/* What is needed to judge blocks of hands, one block after another: for hands that are won in one situation, or each in
 * its own (NULL).  `facts` are by situation as in mj_batch. */
mj_status mj_columns_new(const mj_tables *tables, const mj_program *program, const int32_t *facts,
                         const unsigned *situation, mj_columns **out);
void mj_columns_free(mj_columns *columns);

/* Judges hands; those that are not hands for certain are listed, in order. */
unsigned mj_judge_hands(mj_columns *columns, const mj_asked *asked, uint16_t *others);

/* What the best reading of a hand that was judged is worth, NULL where it has none. */
const mj_verdict *mj_best_of(const mj_columns *columns, unsigned hand);

#endif
