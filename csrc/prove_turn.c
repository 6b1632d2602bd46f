/* The sorted parts of a suit made from those of the first, where every side sees the two alike (prove_look.c).
 *
 * Sorting all parts of a suit is the longest step of a proof.  Of a suit that is seen like the first, a part's node is
 * that of the same part there with other tuples; so there are as many nodes, of as many parts.  What a program cannot
 * tell apart in the first suit it may tell apart in the other, by the winning tile say; then the other is sorted. */
#include <stdlib.h>
#include <string.h>

#include "prove_build.h"

enum { UNKNOWN = MJ_NO_TUPLE - 1 };

/* A side's tuples and winning tiles of the first suit, as those of another. */
typedef struct turning {
    mj_aspect *a;
    uint32_t *tuple_of;                  /* without a winning tile */
    uint8_t element_of[MJ_WIN_ELEMENTS];
} turning;

static bool turn_tuples(turning *t, unsigned part)
{
    const mj_aspect *a = t->a;
    for (uint32_t i = 0; i < a->n_tuples; i++)
        t->tuple_of[i] = UNKNOWN;
    for (unsigned manner = 0; manner < MJ_MANNERS; manner++)
        for (uint32_t v = 0; v < a->n_first; v++) {
            const uint32_t first = a->tuple_of[manner][v], other = a->tuple_of[manner][a->turned[part][v]];
            if (first == MJ_NO_TUPLE && other == MJ_NO_TUPLE)
                continue;
            if (first == MJ_NO_TUPLE || other == MJ_NO_TUPLE
                || (t->tuple_of[first] != UNKNOWN && t->tuple_of[first] != other))
                return false;
            t->tuple_of[first] = other;
        }
    return true;
}

static bool turn_elements(turning *t, unsigned part, bool is_void)
{
    const mj_win *win = &t->a->win;
    memset(t->element_of, 0, sizeof t->element_of);
    for (unsigned rank = 0; rank < MJ_RANKS && win->is_seen; rank++)
        for (unsigned own = 0; own < MJ_MAX_COPIES; own++)
            for (unsigned all = own; all < MJ_MAX_COPIES; all++)
                for (unsigned wait = 0; wait <= MJ_WAIT_TWIN; wait++) {
                    uint8_t *known = &t->element_of[mj_win_element(win, 0, is_void, rank, own, all, wait)];
                    const unsigned other = mj_win_element(win, part, is_void, rank, own, all, wait);
                    if ((*known != 0 && *known != other)
                        || win->cares[other] != win->cares[mj_win_element(win, 0, is_void, rank, own, all, wait)])
                        return false;
                    *known = (uint8_t)other;
                }
    return true;
}

static mj_status turn_set(turning *t, const mj_set *first, mj_set *set)
{
    memset(set, 0, sizeof *set);
    for (unsigned i = 0; i < first->n; i++) {
        mj_won_tuple tuple = *(const mj_won_tuple *)mj_pool_get(&t->a->tuples, first->tuples[i]);
        const unsigned element = tuple.win;
        tuple.win = 0;
        const uint32_t bare = element == 0 ? first->tuples[i] : mj_pool_put(&t->a->tuples, &tuple);   /* it is there */
        const uint32_t turned = mj_aspect_won(t->a, t->tuple_of[bare], t->element_of[element]);
        if (turned == MJ_NO_TUPLE)
            return MJ_NO_MEMORY;
        (void)mj_put_tuple(set, turned);   /* no more than there were */
    }
    return MJ_OK;
}

static mj_status turn_nodes(mj_proving *b, turning *turnings, unsigned part, bool is_void)
{
    const mj_joined *first = &b->suits[0][is_void];
    mj_joined *stage = &b->suits[part][is_void];
    if (!mj_pool_start(&stage->nodes, mj_node_bytes(b)))
        return MJ_NO_MEMORY;
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < first->nodes.n && status == MJ_OK; i++) {
        mj_node n;
        memcpy(&n, mj_pool_get(&first->nodes, i), mj_node_bytes(b));
        for (unsigned view = 0; view < b->n_views && status == MJ_OK; view++) {
            const mj_set own = n.sets[view];
            status = turn_set(&turnings[b->side_of[view]], &own, &n.sets[view]);
        }
        const mj_tally *of_first = &first->tallies[i];
        mj_tally t = mj_tally_of(of_first->order[0], part, of_first->win, false);
        t.count = of_first->count;
        uint32_t at;
        if (status == MJ_OK)
            status = mj_put_node(stage, &n, &t, &at);
    }
    return status;
}

mj_status mj_turn_parts(mj_proving *b, unsigned part, bool is_void, bool *turned)
{
    turning turnings[MJ_MAX_SIDES] = {{.a = NULL}};
    bool alike = part > 0 && part < MJ_HONOURS && b->spec->prints == 0;   /* prints are other numbers in each suit */
    mj_status status = MJ_OK;
    for (unsigned side = 0; side < b->spec->n_sides && alike && status == MJ_OK; side++) {
        turning *t = &turnings[side];
        t->a = &b->aspects[side];
        alike = t->a->turned[part] != NULL;
        t->tuple_of = alike ? malloc((t->a->n_tuples + 1) * sizeof *t->tuple_of) : NULL;
        if (alike && t->tuple_of == NULL)
            status = MJ_NO_MEMORY;
        alike = alike && status == MJ_OK && turn_tuples(t, part) && turn_elements(t, part, is_void);
    }
    if (alike && status == MJ_OK)
        status = turn_nodes(b, turnings, part, is_void);
    for (unsigned side = 0; side < b->spec->n_sides; side++)
        free(turnings[side].tuple_of);
    *turned = alike;
    return status;
}
