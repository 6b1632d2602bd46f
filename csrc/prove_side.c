/* A program as a space sees it: whether it can be asked, the tuples of what it sees (prove_look.c) and sets of them. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum { SUM_SLOTS = 1 << 16 };

/* ---- can it be asked? -------------------------------------------------------------- */

static mj_fold_reason check_program(mj_aspect *a)
{
    const mj_program *program = a->program;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const unsigned first = kind < MJ_NUMBER_KINDS ? kind - kind % MJ_RANKS : MJ_NUMBER_KINDS;
        const unsigned copies = program->copies[kind];
        if ((copies != 0 && copies != MJ_MAX_COPIES) || copies != program->copies[first])
            return MJ_ODD_TILES;
    }
    for (uint32_t i = 0; i < program->n_shapes; i++) {
        const mj_shape *shape = &program->shapes[i];
        const bool twins = shape->n_twins > 0;
        a->manners[i] = twins ? MJ_TWINS : MJ_PLAIN;
        if (shape->n_each > 0 && shape->n_melds + shape->n_pairs + shape->n_twins == 0) {
            a->manners[i] = MJ_ODD;   /* prove_odd.c lists these hands */
            a->odd = true;
        } else if (shape->n_each + shape->n_singles > 0) {
            return MJ_ODD_SHAPE;
        }
        if (shape->n_runs + shape->n_triplets > 0 || (twins && shape->n_melds + shape->n_pairs > 0))
            return MJ_ODD_SHAPE;
    }
    return MJ_FOLDED;
}

static mj_fold_reason look(mj_aspect *a, bool told)
{
    const mj_fold_reason reason = check_program(a);
    if (reason != MJ_FOLDED)
        return reason;
    mj_find_live(a->program, false, a->live);
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        if (a->live[f] && a->program->features[f].kind == MJ_F_SHAPE)
            a->shape_features[a->n_shape_features++] = (uint16_t)f;
    const mj_fold_reason seen = mj_look(&a->sight, a->program, a->live, false);
    if (seen == MJ_FOLDED && told)
        mj_win_look(&a->win, &a->sight, a->live);
    return seen;
}

/* ---- tuples --------------------------------------------------------------------------- */

static mj_status find_tuple(mj_aspect *a, const mj_vector *v, mj_manner manner, uint32_t *number)
{
    mj_won_tuple tuple;
    memset(&tuple, 0, sizeof tuple);
    *number = MJ_NO_TUPLE;
    if (!mj_tuple_of(&a->cut, &a->sight, v, manner, &tuple.of_tiles))
        return MJ_OK;
    *number = mj_pool_put(&a->tuples, &tuple);
    return *number == UINT32_MAX ? MJ_NO_MEMORY : MJ_OK;
}

static mj_status cut(mj_aspect *a, mj_fold_reason *reason)
{
    const uint32_t n = a->vectors.n;
    mj_generator *generators = malloc((n + 1) * sizeof *generators);
    if (generators == NULL)
        return MJ_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        generators[i] = (mj_generator){*(const mj_vector *)mj_pool_get(&a->vectors, i), a->fewest[i]};
    mj_status status = mj_cut_program(&a->cut, a->program, &a->sight, false, generators, n, reason);
    free(generators);
    if (status != MJ_OK || *reason != MJ_FOLDED)
        return status;
    a->sums = calloc(2 * SUM_SLOTS, sizeof *a->sums);
    if (a->sums == NULL || !mj_pool_start(&a->tuples, sizeof(mj_won_tuple)))
        return MJ_NO_MEMORY;
    for (unsigned manner = 0; manner < MJ_MANNERS; manner++) {
        a->tuple_of[manner] = malloc((n + 1) * sizeof *a->tuple_of[manner]);
        if (a->tuple_of[manner] == NULL)
            return MJ_NO_MEMORY;
        bool used = false;
        for (uint32_t i = 0; i < a->program->n_shapes; i++)
            used |= a->manners[i] == (int16_t)manner;
        for (uint32_t i = 0; i < n && status == MJ_OK; i++) {
            a->tuple_of[manner][i] = MJ_NO_TUPLE;
            if (used)
                status = find_tuple(a, mj_pool_get(&a->vectors, i), manner, &a->tuple_of[manner][i]);
        }
    }
    a->n_tuples = a->tuples.n;
    return status;
}

/* What is seen of the winning tile, and room for tuples with it. */
static mj_status start_win(mj_aspect *a, const mj_side *side, uint32_t n_contexts, mj_fold_reason *reason)
{
    const mj_status status = mj_win_elements(&a->win, &a->cut, a->program, side->facts, n_contexts, reason);
    if (status != MJ_OK || *reason != MJ_FOLDED)
        return status;
    const size_t n = (size_t)a->n_tuples * a->win.n_elements;
    a->won = malloc((n + 1) * sizeof *a->won);
    if (a->won == NULL)
        return MJ_NO_MEMORY;
    memset(a->won, 0xff, n * sizeof *a->won);   /* MJ_NO_TUPLE: not asked for yet */
    return MJ_OK;
}

mj_status mj_aspect_start(mj_aspect *a, const mj_tables *tables, const mj_states *states, const mj_side *side,
                          const mj_parts *parts, const mj_spots *places, const mj_space_spec *spec, bool told,
                          mj_fold_reason *reason)
{
    memset(a, 0, sizeof *a);
    a->program = side->program;
    a->tables = tables;
    a->states = states;
    *reason = look(a, told && side->untold == 0);
    if (*reason != MJ_FOLDED || a->win.unclear)
        return MJ_OK;
    mj_status status = mj_aspect_see(a, parts, places, spec->voids != 0 && a->sight.sees_void);
    if (status == MJ_OK)
        status = cut(a, reason);
    if (status == MJ_OK && *reason == MJ_FOLDED && a->win.is_seen)
        status = start_win(a, side, spec->n_contexts, reason);
    return status;
}

void mj_aspect_free(mj_aspect *a)
{
    mj_free_cut(&a->cut);
    mj_pool_free(&a->vectors);
    mj_pool_free(&a->tuples);
    mj_free_win(&a->win);
    free(a->looker);
    free(a->won);
    free(a->fewest);
    free(a->sums);
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        free(a->turned[part]);
        for (unsigned is_void = 0; is_void < 2; is_void++)
            free(a->rows[part][is_void]);
    }
    for (unsigned manner = 0; manner < MJ_MANNERS; manner++)
        free(a->tuple_of[manner]);
    memset(a, 0, sizeof *a);
}

/* ---- sets of tuples ----------------------------------------------------------------------- */

bool mj_aspect_set(const mj_aspect *a, const mj_part *part, const uint32_t *row, mj_set *set)
{
    const unsigned n = mj_part_readings(a->tables, part);
    memset(set, 0, sizeof *set);
    for (unsigned r = 0; r < n; r++)
        if (!mj_put_tuple(set, a->tuple_of[part->even && r == n - 1 ? MJ_TWINS : MJ_PLAIN][row[r]]))
            return false;
    return true;
}

uint32_t mj_aspect_won(mj_aspect *a, uint32_t tuple, unsigned element)
{
    if (element == 0)
        return tuple;
    uint32_t *known = &a->won[(size_t)tuple * a->win.n_elements + element];
    if (*known == MJ_NO_TUPLE) {
        mj_won_tuple won = *(const mj_won_tuple *)mj_pool_get(&a->tuples, tuple);
        won.win = (uint8_t)element;
        *known = mj_pool_put(&a->tuples, &won);
    }
    return *known;
}

mj_status mj_aspect_marked_set(mj_aspect *a, const mj_marked_part *mark, const uint32_t *row, bool claimed,
                               mj_set *set, bool *full)
{
    const unsigned n = mj_part_readings(a->tables, mark->p);
    memset(set, 0, sizeof *set);
    for (unsigned i = 0; i < mark->n_places; i++) {
        const mj_spot *place = &mark->places[i];
        if (place->reading >= n)
            continue;   /* twins, which do not go with melds */
        const mj_manner manner = mark->p->even && place->reading == n - 1 ? MJ_TWINS : MJ_PLAIN;
        const bool other = claimed && a->win.claims && place->triplet != MJ_NONE;
        const uint32_t tuple = a->tuple_of[manner][other ? mj_claimed_vector(a, mark, place) : row[place->reading]];
        if (tuple == MJ_NO_TUPLE)
            continue;
        const unsigned element = a->win.is_seen ? mj_win_element(&a->win, mark->part, mark->is_void, mark->rank,
                                                                 mark->own, mark->all, place->wait) : 0;
        const uint32_t won = mj_aspect_won(a, tuple, element);
        if (won == MJ_NO_TUPLE)
            return MJ_NO_MEMORY;
        *full |= !mj_put_tuple(set, won);
    }
    return MJ_OK;
}

bool mj_aspect_cares(const mj_aspect *a, const mj_set *set)
{
    bool cares = false;
    for (unsigned i = 0; i < set->n && !cares; i++)
        cares = a->win.cares[((const mj_won_tuple *)mj_pool_get(&a->tuples, set->tuples[i]))->win];
    return cares;
}

static mj_status add_tuples(mj_aspect *a, uint32_t x, uint32_t y, uint32_t *number)
{
    *number = MJ_NO_TUPLE;
    const uint64_t asked = (uint64_t)x << 32 | y;
    uint64_t *slot = &a->sums[2 * ((asked * UINT64_C(0x9e3779b97f4a7c15)) >> 48)];
    if (slot[0] == asked + 1) {
        *number = (uint32_t)slot[1];
        return MJ_OK;
    }
    mj_won_tuple won = *(const mj_won_tuple *)mj_pool_get(&a->tuples, x);
    const mj_won_tuple *second = mj_pool_get(&a->tuples, y);
    mj_tuple sum = won.of_tiles;
    const mj_tuple *other = &second->of_tiles;
    bool alive = sum.manner == other->manner;
    for (unsigned i = 0; i < a->cut.n_atoms && alive; i++) {
        const mj_atom *atom = &a->cut.atoms[i];
        const unsigned element = atom->sum[sum.elements[i]][other->elements[i]];
        alive = element != MJ_NONE && !atom->dead[element];
        sum.elements[i] = (uint8_t)element;
    }
    if (alive) {
        won.of_tiles = sum;
        won.win |= second->win;   /* at most one of them has one */
        *number = mj_pool_put(&a->tuples, &won);
        if (*number == UINT32_MAX)
            return MJ_NO_MEMORY;
    }
    slot[0] = asked + 1;
    slot[1] = *number;
    return MJ_OK;
}

mj_status mj_aspect_join(mj_aspect *a, const mj_set *x, const mj_set *y, mj_set *sum, bool *full)
{
    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < x->n; i++) {
        for (unsigned k = 0; k < y->n; k++) {
            uint32_t tuple;
            const mj_status status = add_tuples(a, x->tuples[i], y->tuples[k], &tuple);
            if (status != MJ_OK)
                return status;
            *full |= !mj_put_tuple(sum, tuple);
        }
    }
    return MJ_OK;
}
