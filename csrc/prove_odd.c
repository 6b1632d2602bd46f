/* Hands of shapes that are not taken suit by suit: so few that each is looked at by itself. */
#include <string.h>

#include "prove.h"

enum { MAX_ODD_LEFT = 2 };

typedef struct lister {
    const mj_aspect *a;
    const mj_shape *shape;
    mj_pool *found;
    mj_fold_reason *reason;
    uint8_t copies[MJ_KINDS];
} lister;

static bool tell_shape(void *context, const mj_reading *reading)
{
    uint32_t *shapes = context;
    *shapes |= UINT32_C(1) << reading->shape;
    return true;
}

/* Whether a hand can be taken apart suit by suit as well: it is in a class already. */
static bool is_plain_too(const mj_aspect *a, const uint8_t *copies)
{
    uint32_t shapes = 0;
    mj_hand hand;
    memset(&hand, 0, sizeof hand);
    memcpy(hand.concealed, copies, MJ_KINDS);
    hand.win_tile = hand.void_suit = MJ_NONE;
    mj_each_reading(a->tables, a->program, &hand, false, tell_shape, &shapes);
    for (unsigned i = 0; i < a->program->n_shapes; i++)
        if ((shapes >> i & 1) && a->manners[i] != MJ_ODD)
            return true;
    return false;
}

static mj_status add_hand(lister *l)
{
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        if (l->copies[kind] > l->a->program->copies[kind])
            return MJ_OK;
    if (is_plain_too(l->a, l->copies)) {
        *l->reason = MJ_ODD_SHAPE;
        return MJ_OK;
    }
    return mj_pool_put(l->found, l->copies) == UINT32_MAX ? MJ_NO_MEMORY : MJ_OK;
}

/* Lays the tiles of single parts, of each part by rising kinds. */
static mj_status lay_singles(lister *l, unsigned part, unsigned left, unsigned kind)
{
    if (part == l->shape->n_singles)
        return add_hand(l);
    if (left == 0)
        return lay_singles(l, part + 1, part + 1 < l->shape->n_singles ? l->shape->singles[part + 1] : 0, 0);
    mj_status status = MJ_OK;
    for (; kind < MJ_KINDS && status == MJ_OK; kind++) {
        if (!(l->shape->single_of[part] >> kind & 1))
            continue;
        l->copies[kind] += 1;
        status = lay_singles(l, part, left - 1, kind);
        l->copies[kind] -= 1;
    }
    return status;
}

mj_status mj_aspect_list_odd(const mj_aspect *a, mj_pool *found, mj_fold_reason *reason)
{
    mj_status status = MJ_OK;
    for (unsigned i = 0; i < a->program->n_shapes && status == MJ_OK && *reason == MJ_FOLDED; i++) {
        if (a->manners[i] != MJ_ODD)
            continue;
        lister l = {.a = a, .shape = &a->program->shapes[i], .found = found, .reason = reason};
        unsigned left = 0;
        for (unsigned p = 0; p < l.shape->n_singles; p++)
            left += l.shape->singles[p];
        for (unsigned p = 0; p < l.shape->n_each; p++)
            for (unsigned kind = 0; kind < MJ_KINDS; kind++)
                l.copies[kind] = (uint8_t)(l.copies[kind] + (l.shape->each_of[p] >> kind & 1));
        if (left > MAX_ODD_LEFT)
            *reason = MJ_ODD_SHAPE;
        else
            status = lay_singles(&l, 0, l.shape->n_singles > 0 ? l.shape->singles[0] : 0, 0);
    }
    return status;
}
