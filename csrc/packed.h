/* Packed hands and batches, as the files of the batch functions share them.
 *
 *   packed.c   words and rows become hands
 *   batch.c    many hands, one by one or by folds
 */
#ifndef MJ_PACKED_H
#define MJ_PACKED_H

#include "kernel.h"

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

/* A meld's code in a word of melds as a group; false where it is none. */
bool mj_meld_of_code(unsigned code, mj_group *meld);

/* Whether the pointers and sizes of a batch make sense. */
bool mj_is_batch(const mj_batch *batch);

/* A row of a batch as a hand: tiles, melds, void suit and tiles seen. */
mj_status mj_read_row(const mj_batch *batch, uint64_t row, mj_hand *hand);

/* How the hand of a row is won: the winning tile, whether it is another's, the facts. */
mj_status mj_read_win(const mj_batch *batch, uint64_t row, mj_hand *hand);

#endif
