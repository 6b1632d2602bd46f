/* What the files that make a space share: the work in progress.
 *
 *   prove_join.c    parts sorted and joined
 *   prove_turn.c    those of suits that are seen alike
 *   prove_judge.c   classes judged
 *   prove.c         all of it
 */
#ifndef MJ_PROVE_BUILD_H
#define MJ_PROVE_BUILD_H

#include <stddef.h>

#include "prove.h"

enum {
    MJ_MAX_VIEWS = 2 * MJ_MAX_SIDES,
    MJ_VOIDS = 4              /* none, m, p, s */
};

/* What tells a part of a hand, or several joined, from others: sets of tuples by view, of which a node in a
 * pool has only as many as there are. */
typedef struct mj_node {
    uint16_t size;
    uint8_t key;
    uint8_t marked;                   /* the winning tile is in it */
    uint32_t waits[MJ_MAX_SIDES];     /* states by side; of a whole hand what it waits for: an outcome */
    mj_set sets[MJ_MAX_VIEWS];
} mj_node;

typedef struct mj_joined {
    mj_pool nodes;
    mj_tally *tallies;
    uint32_t capacity;
} mj_joined;

/* A class before the last is known. */
typedef struct mj_made {
    mj_tally tally;
    uint32_t node;        /* of its void suit's last stage, or an odd hand */
    uint8_t key;
    uint8_t void_suit;    /* MJ_NONE for none */
    bool odd;
} mj_made;

struct mj_space {
    mj_hand_class *classes;
    uint32_t n_classes;
    uint32_t n_sides, n_cells;   /* of a class: contexts and groups */
    mj_pool proofs[MJ_MAX_SIDES];
    uint32_t *numbers[MJ_MAX_SIDES];
};

typedef struct mj_proving {
    const mj_space_spec *spec;
    const mj_tables *tables;
    mj_space *space;
    mj_space_info *info;
    mj_parts *parts;
    mj_spots places;
    mj_aspect aspects[MJ_MAX_SIDES];
    /* How sides look at a hand: where a side tells a claimed triplet from another, twice. */
    unsigned n_views;
    uint8_t side_of[MJ_MAX_VIEWS];
    uint8_t view_of[MJ_MAX_SIDES][2];    /* by whether the winning tile was claimed */
    bool told, bare;                     /* hands with their winning tile, and without one */
    bool alone;                          /* whether it matters that a tile is the only one of its kind */
    uint8_t most_left;                   /* from here on all numbers of tiles left are the same */
    uint8_t left_of[MJ_MOST_LEFT + 1];   /* by group: a number */
    mj_joined suits[MJ_PARTS][2];
    mj_joined lasts[MJ_VOIDS];
    mj_pool odd;                         /* hands of odd shapes: rows of copies */
    mj_made *made;
    uint32_t n_made, capacity;
    uint64_t n_joins;
} mj_proving;

static inline bool mj_proves(const mj_proving *b)
{
    return b->info->reason == MJ_FOLDED && b->info->waits_unclear == 0 && (b->spec->stop == NULL || *b->spec->stop == 0);
}

/* Gives the space up for this reason. */
static inline mj_status mj_leave_unproved(mj_proving *b, mj_fold_reason reason)
{
    b->info->reason = reason;
    return MJ_OK;
}

/* MJ_KEY_ALONE, where it matters and a tile is. */
static inline unsigned mj_alone(const mj_proving *b, bool is_alone)
{
    return b->alone && is_alone ? (unsigned)MJ_KEY_ALONE : 0u;
}

static inline uint32_t mj_node_bytes(const mj_proving *b)
{
    return (uint32_t)(offsetof(mj_node, sets) + b->n_views * sizeof(mj_set));
}

/* prove_join.c.  Sorts all parts by what is seen of them. */
mj_status mj_sort_parts(mj_proving *b, bool voids);
/* Joins all parts of hands whose void suit is this one. */
mj_status mj_join_parts(mj_proving *b, unsigned void_suit, mj_joined *last);
void mj_free_joined(mj_joined *s);
/* Adds to what is known of a node. */
mj_status mj_put_node(mj_joined *s, const mj_node *n, const mj_tally *t, uint32_t *number);

/* prove_turn.c.  Makes the nodes of a suit from those of the first, if all sides see them alike. */
mj_status mj_turn_parts(mj_proving *b, unsigned part, bool is_void, bool *turned);

/* prove_judge.c.  What classes are worth for a side, and from when on. */
mj_status mj_judge_classes(mj_proving *b, unsigned side);
/* What a class waits for: an outcome of a side that asks how many tiles are left, or MJ_NO_OUTCOME. */
uint32_t mj_class_waits(const mj_proving *b, const mj_made *m);

#endif
