/* What the files that make folds share: the work in progress.
 *
 *   classes.c   classes of suits and honours
 *   fold.c      classes joined, melds, all of it
 *   worths.c    contexts, and what joined classes are worth
 */
#ifndef MJ_FOLD_BUILD_H
#define MJ_FOLD_BUILD_H

#include "look.h"

#define MJ_NO_TUPLE UINT32_MAX

enum { MJ_MAX_CONTEXTS = MJ_SITUATIONS * MJ_OWN_COPIES };

/* How a hand is won: its situation, and the copies of the winning tile as in MJ_OWN_COPIES. */
typedef struct mj_told {
    uint16_t situation;
    uint8_t own;
} mj_told;

/* Distinct sets of tuples in the order found; the first is the empty one. */
typedef mj_pool mj_classes;

typedef struct mj_builder {
    const mj_tables *tables;
    const mj_states *states;
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
    int16_t manners[MJ_MAX_SHAPES];
    uint16_t shape_features[MJ_MAX_FEATURES], own_features[MJ_MAX_FEATURES];   /* those told by hand */
    unsigned n_shape_features, n_own_features;
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
/* False when the set is full. */
bool mj_put_tuple(mj_set *set, uint32_t tuple);
mj_status mj_start_classes(mj_classes *classes);
mj_status mj_classify_suits(mj_builder *b, const uint32_t *tuple_of);
mj_status mj_make_honours(mj_builder *b);
mj_status mj_mark_odd_states(mj_builder *b);

/* worths.c. */
mj_status mj_find_contexts(mj_builder *b);
mj_status mj_weigh_classes(mj_builder *b, const mj_classes *classes, unsigned unit, uint16_t **table);
mj_status mj_value_classes(mj_builder *b, const mj_classes *classes);

#endif
