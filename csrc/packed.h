/* Packed hands and batches, as the files of the batch functions share them.
 *
 *   packed.c   words and rows become hands, one by one
 *   block.c    rows become words, many at once
 *   batch.c    many hands, each by itself
 *   columns_batch.c  many hands in columns (columns.h)
 *   look.h     what look-ups share; the tables are in fold.h and near.h
 */
#ifndef MJ_PACKED_H
#define MJ_PACKED_H

#include "kernel.h"

/* Functions for processors with wide registers. */
#if defined(__x86_64__) && defined(__GNUC__)
#define MJ_X86
#define MJ_FOR_AVX2 __attribute__((target("avx2,bmi2")))
#define MJ_FOR_AVX512 __attribute__((target("avx2,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vnni")))
#endif

enum {
    MJ_SUIT_BITS = 21,
    MJ_SUIT_MASK = (1 << MJ_SUIT_BITS) - 1,
    MJ_HONOUR_KINDS = MJ_KINDS - MJ_NUMBER_KINDS,
    MJ_HONOUR_INDICES = 78125,   /* 5 to the 7 */
    MJ_MELD_CODES = 1 + 5 * MJ_KINDS,
    MJ_FLAG_VALUES = 128,
    MJ_FACTS_SIZE = 32
};

/* Whether the hands of a batch stand in words of their own for honours. */
static inline unsigned mj_words_each(const mj_batch *batch)
{
    return batch->kinds > MJ_NUMBER_KINDS ? 2 : 1;
}

static inline unsigned mj_situation(unsigned by, unsigned flags)
{
    return by * MJ_FLAG_VALUES + flags;
}

/* The digit of a number in base 5 that stands for a rank, rank 0 the highest of nine.  Dividing is
 * multiplying by 2^40 / 5^n, which is exact for numbers of 21 bits. */
static inline unsigned mj_digit(uint64_t index, unsigned rank)
{
    static const uint64_t inverse[MJ_RANKS] = {
        UINT64_C(2814750), UINT64_C(14073749), UINT64_C(70368745), UINT64_C(351843721), UINT64_C(1759218605),
        UINT64_C(8796093023), UINT64_C(43980465112), UINT64_C(219902325556), UINT64_C(1099511627776),
    };
    const uint64_t rest = index * inverse[rank] >> 40;
    return (unsigned)(rest - 5 * (rest * UINT64_C(0xcccccccd) >> 34));
}

/* The same where many are asked for: by kind, and by what is none, how far its suit is shifted in a word and one over
 * its power of five. */
typedef struct mj_place_table {
    uint8_t shift[256];   /* so far that nothing is left where it is no kind of a suit */
    float inverse[256];
} mj_place_table;

extern const mj_place_table mj_places;

/* The half keeps clear of whole numbers: what rounding adds is less than a half of a tile, as long as there are no
 * more than 21 bits. */
static inline uint32_t mj_digit_at(uint32_t index, float inverse)
{
    const int32_t rest = (int32_t)(((float)(int32_t)index + 0.5f) * inverse);
    return (uint32_t)(rest - 5 * (int32_t)(((float)rest + 0.5f) * 0.2f));
}

/* A meld's code in a word of melds as a group; false where it is none. */
bool mj_meld_of_code(unsigned code, mj_group *meld);

/* The word of melds that are all of them. */
uint32_t mj_word_of_melds(const mj_group *melds, unsigned n);

/* Tells a hand what lies on the table: what was told (NULL: nothing), and its melds in any case. */
void mj_tell_seen(const uint8_t *told, unsigned kinds, mj_hand *hand);

/* Whether the pointers and sizes of a batch make sense, and it has these rows. */
bool mj_is_batch(const mj_batch *batch, uint64_t start, uint64_t stop);

/* A row of a batch as a hand: tiles, melds, void suit and tiles seen. */
mj_status mj_read_row(const mj_batch *batch, uint64_t row, mj_hand *hand);

/* ---- block.c ---------------------------------------------------------------- */

enum { MJ_BLOCK = 256 };

#define MJ_NO_WORD UINT64_MAX   /* in place of a hand's word; like any with the bit above the suits, it is none */

/* What registers the processor has, as far as the environment lets it use them: with RULESPEC_PORTABLE=avx2
 * none that are wider, with any other value none beyond those of every processor. */
typedef enum mj_width { MJ_PORTABLE = 0, MJ_AVX2, MJ_AVX512 } mj_width;

mj_width mj_width_here(void);

/* Rows of copies as words, with room for whole eights of them.  A row with more than four of a kind is no hand. */
void mj_take_rows(const uint8_t *rows, unsigned kinds, unsigned n, mj_width width, uint64_t *words, uint32_t *honours);

/* The n rows of a batch from `first` on; behind them up to a whole block there are no hands.  Honours are indices,
 * and are set only for batches that have any. */
typedef struct mj_block {
    uint64_t first;
    unsigned n;
    const uint64_t *words;
    uint64_t word_room[MJ_BLOCK];
    uint32_t honours[MJ_BLOCK];
} mj_block;

void mj_take_block(const mj_batch *batch, uint64_t start, uint64_t stop, mj_width width, mj_block *block);

/* ---- batch.c: one row each, by itself ------------------------------------------ */

/* Puts down what a hand is worth; zeros for one that does not win. */
void mj_put_worth(const mj_worths *worths, uint64_t row, bool win, int64_t total, int64_t money, uint64_t fans);
mj_status mj_score_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                       const mj_worths *worths, uint64_t row);
mj_status mj_wait_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                      uint64_t *kinds);
/* Of these kinds, or of `only` one of them unless that is MJ_NONE. */
mj_status mj_value_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                       unsigned only, uint64_t kinds, int64_t *points);
mj_status mj_shanten_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                         int8_t *shanten);

/* ---- columns_batch.c: rows that are not looked up -------------------------------- */

/* What the rows of a call are judged with. */
typedef struct mj_jury {
    const mj_tables *tables;
    const mj_program *program;
    const mj_batch *batch;
    bool many;                        /* so many rows that making columns pays */
    struct mj_columns *columns;       /* made when first needed */
    struct mj_columns *own_draws;     /* the same for waits that only an own draw may win */
} mj_jury;

/* For a call of n rows. */
void mj_start_jury(mj_jury *jury, const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                    uint64_t n);
void mj_end_jury(mj_jury *jury);

/* Scores some rows of a block; *row is the first of them that is no hand. */
mj_status mj_judge_rows(mj_jury *jury, const mj_block *block, const uint16_t *rows, unsigned n,
                        const mj_worths *worths, uint64_t *row);

/* A wait of a row of a block, or with MJ_NONE all of its waits. */
typedef struct mj_wait_at {
    uint16_t row;
    uint8_t kind;
} mj_wait_at;

/* Values some waits.  `kinds` and `points` are those of the whole batch. */
mj_status mj_value_waits(mj_jury *jury, const mj_block *block, const mj_wait_at *waits, unsigned n,
                         const uint64_t *kinds, int64_t *points, uint64_t *row);

/* fold_batch.c.  Scores the rows that the folds know, and has the others judged. */
mj_status mj_look_up_batch(mj_jury *jury, const mj_folds *folds, uint64_t start, uint64_t stop,
                           const mj_worths *worths, uint64_t *row);

/* How the hand of a row is won: the winning tile, whether it is another's, the facts. */
mj_status mj_read_win(const mj_batch *batch, uint64_t row, mj_hand *hand);

#endif
