/* What the files that make folds share: the work in progress.
 *
 *   classes.c   classes of suits and honours
 *   fold.c      classes joined, melds, all of it
 *   won.c       classes of parts with the winning tile marked
 *   worths.c    contexts, and what joined classes are worth
 */
#ifndef MJ_FOLD_BUILD_H
#define MJ_FOLD_BUILD_H

#include "look.h"
#include "near.h"


enum { MJ_MAX_CONTEXTS = MJ_SITUATIONS * MJ_OWN_COPIES };

/* How a hand is won: its situation, and what is told of the winning tile; nothing but zeros without one.  Its
 * kind is told counted from 1. */
typedef struct mj_told {
    uint16_t situation;
    uint16_t of[MJ_TELLINGS];
} mj_told;

/* Distinct sets of tuples in the order found; the first is the empty one. */
typedef mj_pool mj_classes;

typedef struct mj_builder {
    const mj_tables *tables;
    const mj_states *states;
    const mj_near *near;
    const mj_program *program;
    const int32_t *facts;
    mj_folds *folds;
    mj_fold_info *info;
    mj_sight sight;
    mj_seen seen;
    mj_cut cut;
    mj_pool tuples;
    mj_classes suits[MJ_PARTS];
    mj_classes joined[MJ_PARTS];      /* the suits up to this one */
    mj_classes codes, pair_melds, all_melds, finals;
    mj_pool worths;
    mj_pool early;                    /* sets of contexts, a bit for each */
    int16_t manners[MJ_MAX_SHAPES];
    uint16_t shape_features[MJ_MAX_FEATURES], told_features[MJ_MAX_FEATURES];
    unsigned n_shape_features, n_told_features;
    uint16_t examples[MJ_TELLINGS][MJ_TOLD];  /* a number of each sort that can be told, 0 the first */
    uint32_t n_sorts[MJ_TELLINGS];
    uint16_t *class_of[2];            /* classes of states by suit and state, of the void suit the second */
    uint32_t n_unmarked[MJ_PARTS];    /* classes below are of suits without a mark, among others */
    uint32_t n_joins, n_runs;
    unsigned last;                    /* the last suit */
    mj_told contexts[MJ_MAX_CONTEXTS];      /* an example of each */
} mj_builder;

/* Gives the program up for this reason, or goes on when it is MJ_FOLDED. */
static inline mj_status mj_give_up(mj_builder *b, mj_fold_reason reason)
{
    b->info->reason = reason;
    return MJ_OK;
}

static inline bool mj_goes_on(const mj_builder *b)
{
    return b->info->reason == MJ_FOLDED;
}

/* classes.c.  The tuple of a vector, or of two together; MJ_NO_TUPLE where it cannot be part of a win. */
mj_status mj_find_tuple(mj_builder *b, const mj_vector *v, mj_manner manner, uint32_t *number);
uint32_t mj_add_tuples(mj_builder *b, uint32_t x, uint32_t y);
uint32_t mj_odd_tuple(mj_builder *b);
mj_status mj_start_classes(mj_classes *classes);
/* The number of a set among the classes of a part, whose numbers are bounded. */
mj_status mj_number_class(mj_builder *b, mj_classes *classes, const mj_set *set, uint32_t *number);
/* The class of a state of the honours. */
mj_status mj_honour_class(mj_builder *b, const uint8_t *copies, mj_mark mark, uint32_t *number);
mj_status mj_classify_suits(mj_builder *b, const uint32_t *tuple_of);
/* The table of a suit by state is begun with what stands for the states themselves. */
void mj_put_states(const mj_builder *b, const uint16_t *class_of, bool in_set, uint16_t *table);
/* Makes a table of each suit by its own classes of states or marks, the same one for those that are equal. */
typedef uint16_t *mj_make_table(mj_builder *b, const uint16_t *class_of, bool in_set);
mj_status mj_make_tables(mj_builder *b, uint16_t **tables, const uint16_t *class_of, size_t n, mj_make_table *make);
mj_status mj_make_honours(mj_builder *b);
mj_status mj_mark_odd_states(mj_builder *b);

/* Goes through the states of the honours that have at most 14 tiles. */
typedef mj_status mj_see_honour_state(mj_builder *b, const uint8_t *copies, unsigned tiles, uint32_t index);
mj_status mj_each_honours(mj_builder *b, mj_see_honour_state *see);

/* won.c. */
int64_t mj_told_value(const mj_feature *feature, const uint16_t *told);
mj_status mj_start_won(mj_builder *b);
/* The sets of contexts that are possible before the waits are known, and what classes are worth in them. */
mj_status mj_find_early(mj_builder *b);
mj_status mj_weigh_early(mj_builder *b, uint32_t n_classes, const uint16_t *worth_of, uint16_t **table);
mj_status mj_classify_marks(mj_builder *b, const uint32_t *tuple_of);
void mj_free_won(mj_won *won);

/* fold.c.  Frees tables of suits of which some may be the same. */
void mj_free_suit_tables(uint16_t **tables);

/* worths.c. */
mj_status mj_find_contexts(mj_builder *b);
mj_status mj_weigh_classes(mj_builder *b, const mj_classes *classes, unsigned unit, uint16_t **table);
mj_status mj_value_classes(mj_builder *b, const mj_classes *classes);

#endif
