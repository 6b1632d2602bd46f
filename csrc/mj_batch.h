/* Many hands: packed words, columns, and tables by which they are looked up; one hand as text.  Part of mj.h. */
#ifndef MJ_API_BATCH_H
#define MJ_API_BATCH_H

#include "mj_hand.h"

/* ---- many hands ---------------------------------------------------------------------- */

/* A packed hand.  A suit is a number of nine digits in base 5, its copies by rank with rank 1 as
 * the highest digit; m p s stand in bits 0-20, 21-41, 42-62 of the first word, the seven honours
 * likewise in a second word.  So adding a tile is adding a constant.
 *
 * A word of melds.  A byte for each of up to four melds, from the lowest: 0 where there are no
 * more, else 1 + 34 * n + kind, where n is 0 for a chow (kind is its lowest), 1 pung, 2 direct,
 * 3 added, 4 concealed kong.
 *
 * A situation is 128 * by + flags: `by` is 0 own draw, 1 discard, 2 robbed kong; flags 1 after a
 * kong, 2 kong chain, 4 last tile, 8 first turn, 16 dealer, and 32 times the kong before (0 none,
 * 1 direct, 2 added, 3 concealed). */
enum {
    MJ_SITUATIONS = 384,
    MJ_FEWEST_IN_COLUMNS = 64,   /* in a call of fewer rows, those that are not looked up are judged one by one */
    MJ_BY_OWN_DRAW = 0,
    MJ_BY_DISCARD = 1,
    MJ_BY_ROBBED_KONG = 2
};

/* Columns of a batch.  Where a column is NULL, the value beside it stands for every hand. */
typedef struct mj_batch {
    uint64_t n;
    const uint64_t *words;      /* packed hands, or NULL: then `rows` */
    const uint8_t *rows;        /* copies by kind */
    uint32_t kinds;             /* 27 or 34: bytes of a row; one or two words */
    uint32_t unit;              /* mj_unit of the totals that are given back */
    const uint32_t *melds;      /* NULL: no melds */
    const uint8_t *win;         /* kinds of the winning tiles, or MJ_NONE */
    const uint8_t *voids;       /* 0 1 2, or MJ_NONE */
    const uint8_t *by;
    const uint8_t *flags;
    const uint8_t *seen;        /* rows like `rows`; own melds are seen in any case */
    uint8_t all_win;
    uint8_t all_voids;
    uint8_t all_by;
    uint8_t all_flags;
    const int32_t *facts;       /* by situation, 32 numbers each: as in mj_hand */
} mj_batch;

/* What scored hands are worth; NULL columns are not wanted.  A hand that does not win has zeros. */
typedef struct mj_worths {
    uint8_t *win;
    int32_t *totals;            /* of the batch's unit, held within an int32_t */
    int64_t *points;
    uint64_t *fans;             /* which fans count */
} mj_worths;

/* The states of one suit that are part of a complete hand, which all folds share. */
typedef struct mj_states mj_states;
mj_status mj_states_new(const mj_tables *tables, mj_states **out);
void mj_states_free(mj_states *states);

/* A program folded into tables, by which a hand is scored with a few look-ups. */
typedef struct mj_folds mj_folds;

/* What folds are for, beside concealed hands without a void suit.  Those of a program for waits give the
 * values of waits and nothing else.  Those for won hands are for programs that ask how the winning tile came
 * in (sees_win), and for no hands but such that tell it. */
enum { MJ_FOR_MELDS = 1, MJ_FOR_VOIDS = 2, MJ_FOR_WAITS = 4, MJ_FOR_WON = 8 };

/* Why a program is not folded. */
typedef enum mj_fold_reason {
    MJ_FOLDED = 0,
    MJ_SEES_SUITS_TOGETHER, /* a pattern stands over several suits */
    MJ_SEES_TOO_MUCH,       /* more conditions or classes than the budget has room for */
    MJ_ODD_SHAPE,           /* a shape has parts that are not taken suit by suit */
    MJ_ODD_TILES            /* the tile set has other than four of a kind */
} mj_fold_reason;

typedef struct mj_fold_info {
    uint32_t reason;        /* mj_fold_reason */
    uint32_t sees_win;      /* 1: how the winning tile came in is asked, not its copies only */
    uint32_t n_features;    /* counts that the program reads of a part of a hand */
    uint32_t n_atoms;
    uint32_t n_suit_classes;
    uint32_t n_joined;      /* classes of all suits together */
    uint32_t n_meld_classes;
    uint32_t n_contexts;
    uint32_t n_worths;      /* distinct results */
    uint64_t bytes;
} mj_fold_info;

/* How near the states of suits are to being part of a hand, whatever the rules: about sixteen megabytes,
 * made in some tens of milliseconds. */
typedef struct mj_near mj_near;
mj_status mj_near_new(const mj_tables *tables, const mj_states *states, mj_near **out);
void mj_near_free(mj_near *near);

/* Folds a program for the facts of each situation (as in mj_batch), within a fixed budget of time and
 * memory.  Where it cannot be, *out is NULL and the info says why; that is MJ_OK.  `near` is kept by the
 * folds; it may be NULL but for won hands of programs that ask for waits. */
mj_status mj_folds_new(const mj_tables *tables, const mj_states *states, const mj_near *near,
                       const mj_program *program, const int32_t *facts, uint32_t unit, uint32_t uses,
                       mj_folds **out, mj_fold_info *info);
void mj_folds_free(mj_folds *folds);

/* Packs rows of 27 or 34 copies; *row is the first with more than four of a kind (MJ_BAD_COUNT). */
mj_status mj_pack(const uint8_t *rows, uint32_t kinds, uint64_t n, uint64_t *words, uint64_t *row);

/* Scores the hands from row `start` up to `stop`, into the same rows of the columns; so do the functions
 * below.  Hands that are not looked up are judged in columns, many at once.  The first row that is no hand ends the work: *row is its number.  Unlike mj_score,
 * no hand may hold more of a kind than the tile set has.  `folds` may be NULL, or must be those of the
 * program, of the batch's facts and of its unit. */
mj_status mj_score_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                         const mj_batch *batch, uint64_t start, uint64_t stop, const mj_worths *worths, uint64_t *row);

/* How often each fan counts in some rows of a batch: as many numbers for each of the n rows as the program has
 * fans, zeros for a hand that does not win. */
mj_status mj_count_batch(const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                         const uint64_t *rows, uint64_t n, int32_t *counts, uint64_t *row);


/* Kinds that complete each hand of hand_size tiles, as mj_waits.  `states` and `near` may be NULL. */
mj_status mj_waits_batch(const mj_tables *tables, const mj_program *program, const mj_states *states,
                         const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                         uint64_t *kinds, uint64_t *row);

/* What each of those kinds makes the hand worth, won by discard, or where only an own draw may win,
 * by that: rows of batch->kinds numbers, -1 where the kind does not complete the hand, may not win
 * or does not count as a wait.  `folds` may be NULL, or must be those for waits of the program. */
mj_status mj_values_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                          const mj_batch *batch, uint64_t start, uint64_t stop,
                          const uint64_t *kinds, int64_t *points, uint64_t *row);

/* mj_shanten of each hand, states and near as above; 127 where no shape goes with the melds. */
mj_status mj_shanten_batch(const mj_tables *tables, const mj_program *program, const mj_states *states,
                           const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                           int8_t *shanten, uint64_t *row);

/* mj_shanten of one hand, by the tables where there are any. */
mj_status mj_shanten_known(const mj_tables *tables, const mj_program *program, const mj_states *states,
                           const mj_near *near, const mj_hand *hand, int *shanten);

/* ---- one hand as text ------------------------------------------------------------------- */

/* A fan that counts. */
typedef struct mj_counted {
    int64_t value;        /* what one is worth */
    int32_t count;
    uint32_t fan;
} mj_counted;

/* What is mostly read of a result: the reading, of which there are many, and behind it what many hands have in
 * common.  A hand that does not win has no fans here. */
typedef struct mj_summary {
    mj_reading reading;
    int64_t money;
    int64_t totals[4];
    uint8_t win;
    uint8_t complete;
    uint8_t n_counted;
    uint8_t spare[5];     /* 0 */
    mj_counted counted[64]; /* in the order of the fans; no more than n_counted of them are written */
} mj_summary;

/* mj_score of a closed hand in the compact notation (`123m55p`), which holds no more of a kind than the tile
 * set.  `facts` are 32 numbers as in mj_hand.  How many bytes of the summary are written; 0 where it is no
 * such hand. */
uint32_t mj_score_text(const mj_tables *tables, const mj_program *program, const char *text, uint32_t length,
                       uint8_t win_tile, uint8_t void_suit, uint8_t claimed, const int32_t *facts,
                       mj_summary *summary);

/* What one payer pays for it, won without flags: 0 where it does not win, and below any amount where it is
 * no hand or is not looked up. */
int64_t mj_points_of_text(const mj_folds *folds, const char *text, uint32_t length, uint8_t win_tile, uint8_t by);

#endif
