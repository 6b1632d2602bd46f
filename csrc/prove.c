/* The space of hands as classes: parts looked at by each side, sorted and joined, and what comes of it judged. */
#include <stdlib.h>
#include <string.h>

#include "prove_build.h"

/* ---- sides --------------------------------------------------------------------------- */

/* What several sides, and what hands wait for, have in common; sides that ask how many tiles are left must wait
 * for the same ones, since what lies on the table is the same for both. */
static mj_status find_waits(mj_proving *b)
{
    const unsigned n = b->spec->n_sides;
    mj_win *first = NULL;
    for (unsigned side = 0; side < n; side++) {
        mj_win *win = &b->aspects[side].win;
        if (win->n_left == 0)
            continue;
        if (first != NULL && (first->plain != win->plain || first->twins != win->twins)) {
            b->info->waits_unclear = 2;
            return MJ_OK;
        }
        if (first == NULL)
            b->info->left_side = side;
        first = first == NULL ? win : first;
        b->most_left = (uint8_t)(win->most_left > b->most_left ? win->most_left : b->most_left);
    }
    /* Groups, the one with the most tiles left first. */
    unsigned n_groups = 0;
    for (unsigned left = b->most_left + 1u; left-- > 0;) {
        unsigned group = 0;
        for (; group < n_groups; group++) {
            bool alike = true;
            for (unsigned side = 0; side < n; side++) {
                const mj_win *win = &b->aspects[side].win;
                alike &= win->n_left == 0 || win->alike_left[left] == win->alike_left[b->left_of[group]];
            }
            if (alike)
                break;
        }
        if (group == n_groups)
            b->left_of[n_groups++] = (uint8_t)left;
        b->info->group_of[left] = (uint8_t)group;
    }
    for (unsigned left = b->most_left; left <= MJ_MOST_LEFT; left++)
        b->info->group_of[left] = b->info->group_of[b->most_left];
    b->info->n_groups = n_groups;
    mj_status status = MJ_OK;
    for (unsigned side = 0; side < n && status == MJ_OK && mj_proves(b); side++) {
        mj_fold_reason reason = MJ_FOLDED;
        mj_win *win = &b->aspects[side].win;
        win->most_left = win->n_left > 0 ? b->most_left : 0;
        status = mj_win_states(win, b->parts, &b->places, &reason);
        b->info->reason = reason;
    }
    return status;
}

static mj_status look_at_parts(mj_proving *b, const mj_states *states)
{
    const mj_space_spec *spec = b->spec;
    mj_status status = MJ_OK;
    for (unsigned side = 0; side < spec->n_sides && status == MJ_OK && !b->told; side++)
        b->told = spec->sides[side].untold == 0 && mj_program_asks(spec->sides[side].program) != 0;
    if (b->told)
        status = mj_find_spots(&b->places, b->tables, states);
    for (unsigned side = 0; side < spec->n_sides && status == MJ_OK && mj_proves(b); side++) {
        mj_aspect *a = &b->aspects[side];
        mj_fold_reason reason = MJ_FOLDED;
        status = mj_aspect_start(a, b->tables, states, &spec->sides[side], b->parts, &b->places, spec, b->told, &reason);
        b->info->reason = reason;
        b->info->waits_unclear = a->win.unclear;
        for (unsigned claimed = 0; claimed < 2; claimed++) {
            if (claimed == 0 || a->win.claims)
                b->side_of[b->n_views++] = (uint8_t)side;
            b->view_of[side][claimed] = (uint8_t)(b->n_views - 1);
        }
    }
    b->told = false;
    for (unsigned side = 0; side < spec->n_sides; side++)
        b->told |= b->aspects[side].win.is_seen;
    b->bare = !b->told || spec->bare != 0;
    b->info->told = b->told;
    b->info->n_atoms = b->aspects[0].cut.n_atoms;
    return status;
}

/* Whether some context is only that of hands in which a tile is alone.  Prints are compared with those of other
 * spaces, whose contexts may be. */
static bool does_alone_matter(const mj_space_spec *spec)
{
    bool matters = spec->prints != 0;
    for (uint32_t context = 0; context < spec->n_contexts; context++)
        for (unsigned key = 0; key < MJ_KEY_ALONE; key++) {
            const uint8_t *legal = spec->legal + (size_t)context * MJ_KEYS + key;
            matters |= (legal[0] != 0) != (legal[MJ_KEY_ALONE] != 0);
        }
    return matters;
}

/* ---- classes ---------------------------------------------------------------------------- */

static int by_hand(const void *x, const void *y)
{
    const mj_made *a = x, *b = y;
    const int order = mj_compare(&a->tally, &b->tally);
    return order != 0 ? order : (int)(uint8_t)(a->void_suit + 1) - (int)(uint8_t)(b->void_suit + 1);
}

static mj_status add_made(mj_proving *b, const mj_made *m)
{
    if (b->n_made == b->capacity) {
        b->capacity = 2 * b->capacity + 1024;
        mj_made *more = realloc(b->made, b->capacity * sizeof *more);
        if (more == NULL)
            return MJ_NO_MEMORY;
        b->made = more;
    }
    b->made[b->n_made++] = *m;
    return MJ_OK;
}

static mj_status add_classes(mj_proving *b, unsigned which)
{
    const mj_joined *last = &b->lasts[which];
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < last->nodes.n && status == MJ_OK; i++) {
        const mj_node *n = mj_pool_get(&last->nodes, i);
        if (n->size != b->parts->whole)
            continue;
        mj_made m = {.tally = last->tallies[i], .node = i, .key = n->key};
        m.void_suit = (uint8_t)(which == 0 ? (unsigned)MJ_NONE : which - 1);
        for (unsigned part = 0; part < MJ_PARTS && status == MJ_OK; part++) {
            const mj_tally nothing = mj_tally_of(MJ_EMPTY_PART, part, MJ_NONE, b->spec->prints != 0);
            if (!b->parts->in_set[part])
                status = mj_times_part(&m.tally, &nothing, part);
        }
        if (status == MJ_OK)
            status = add_made(b, &m);
    }
    return status;
}

/* Hands of odd shapes: so few that each is a class. */
static mj_status add_odd(mj_proving *b, unsigned which)
{
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < b->odd.n && status == MJ_OK; i++) {
        const uint8_t *copies = mj_pool_get(&b->odd, i);
        mj_made m = {.node = i, .odd = true};
        m.void_suit = (uint8_t)(which == 0 ? (unsigned)MJ_NONE : which - 1);
        for (unsigned win = b->told ? 0 : MJ_KINDS; win <= MJ_KINDS && status == MJ_OK; win++) {
            if (win == MJ_KINDS ? !b->bare : copies[win] == 0)
                continue;
            m.tally = mj_tally_of_copies(copies, win == MJ_KINDS ? (unsigned)MJ_NONE : win, b->spec->prints != 0);
            m.key = (uint8_t)mj_alone(b, win == MJ_KINDS ? memchr(copies, 1, MJ_KINDS) != NULL : copies[win] == 1);
            status = add_made(b, &m);
        }
    }
    return status;
}

static mj_status write_classes(mj_proving *b)
{
    mj_space *space = b->space;
    space->classes = calloc((size_t)b->n_made + 1, sizeof *space->classes);
    if (space->classes == NULL)
        return MJ_NO_MEMORY;
    for (uint32_t i = 0; i < b->n_made; i++) {
        const mj_made *m = &b->made[i];
        mj_hand_class *class = &space->classes[i];
        const uint32_t waits = mj_class_waits(b, m);
        unsigned n = 0;
        class->count = m->tally.count;
        memcpy(class->prints, m->tally.prints, sizeof class->prints);
        class->void_suit = m->void_suit;
        class->key = m->key;
        class->win_tile = m->tally.win;
        class->left_matters = waits != MJ_NO_OUTCOME;
        class->left_low = class->left_high = b->most_left;
        if (class->left_matters) {
            class->left_low = waits >> 8 & 255;
            class->left_high = waits & 255;
        }
        for (unsigned part = 0; part < MJ_PARTS; part++) {
            const uint64_t order = m->tally.order[part];
            const unsigned kinds = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
            uint32_t index = mj_index_of_order(order);
            for (unsigned k = kinds; k-- > 0; index /= 5)
                class->copies[part * MJ_RANKS + k] = (uint8_t)(index % 5);
            for (unsigned k = 0; k < mj_melds_of_order(order) && n < MJ_MAX_MELDS; k++)
                class->melds |= (uint32_t)mj_global_code(part, mj_local_code(order, k)) << 8 * n++;
        }
    }
    space->n_classes = b->info->n_classes = b->n_made;
    return MJ_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static mj_status build(mj_proving *b, const mj_states *states)
{
    const mj_space_spec *spec = b->spec;
    bool voids = false, odd = false;
    b->alone = does_alone_matter(spec);
    mj_status status = mj_parts_new(b->tables, states, spec->sides[0].program, spec->meld_types, &b->parts);
    if (status == MJ_OK)
        status = look_at_parts(b, states);
    if (status == MJ_OK && mj_proves(b))
        status = find_waits(b);
    for (unsigned side = 0; side < spec->n_sides; side++) {
        voids |= spec->voids != 0 && b->aspects[side].sight.sees_void;
        odd |= b->aspects[side].odd;
    }
    b->info->voids = voids;
    b->info->n_items = status == MJ_OK ? b->parts->n_suit : 0;
    if (status == MJ_OK && mj_proves(b))
        status = mj_sort_parts(b, voids);
    b->info->n_suit_classes = b->suits[0][0].nodes.n;
    if (status == MJ_OK && !mj_pool_start(&b->odd, MJ_KINDS))
        status = MJ_NO_MEMORY;
    for (unsigned side = 0; side < spec->n_sides && odd && status == MJ_OK && mj_proves(b); side++) {
        mj_fold_reason reason = MJ_FOLDED;
        status = mj_aspect_list_odd(&b->aspects[side], &b->odd, &reason);
        b->info->reason = reason;
    }
    for (unsigned which = 0; which < (voids ? MJ_VOIDS : 1) && status == MJ_OK && mj_proves(b); which++) {
        if (which > 0 && !b->parts->in_set[which - 1])
            continue;
        status = mj_join_parts(b, which == 0 ? (unsigned)MJ_NONE : which - 1, &b->lasts[which]);
        if (status == MJ_OK && mj_proves(b))
            status = add_classes(b, which);
        if (status == MJ_OK && mj_proves(b))
            status = add_odd(b, which);
    }
    if (status != MJ_OK || !mj_proves(b))
        return status;
    if (b->n_made > 0)
        qsort(b->made, b->n_made, sizeof *b->made, by_hand);
    b->space->n_cells = spec->n_contexts * b->info->n_groups;
    for (unsigned side = 0; side < spec->n_sides && status == MJ_OK; side++)
        status = mj_judge_classes(b, side);
    return status == MJ_OK && mj_proves(b) ? write_classes(b) : status;
}

static void free_proving(mj_proving *b)
{
    for (unsigned side = 0; side < MJ_MAX_SIDES; side++)
        mj_aspect_free(&b->aspects[side]);
    for (unsigned part = 0; part < MJ_PARTS; part++)
        for (unsigned is_void = 0; is_void < 2; is_void++)
            mj_free_joined(&b->suits[part][is_void]);
    for (unsigned which = 0; which < MJ_VOIDS; which++)
        mj_free_joined(&b->lasts[which]);
    mj_pool_free(&b->odd);
    mj_free_spots(&b->places);
    mj_parts_free(b->parts);
    free(b->made);
    free(b);
}

/* Whether two programs speak of the same tiles and hands. */
static bool are_of_one_space(const mj_space_spec *spec)
{
    const mj_program *a = spec->sides[0].program, *b = spec->sides[spec->n_sides - 1].program;
    return a->hand_size == b->hand_size && memcmp(a->copies, b->copies, sizeof a->copies) == 0;
}

mj_status mj_space_new(const mj_tables *tables, const mj_states *states, const mj_space_spec *spec,
                       mj_space **out, mj_space_info *info)
{
    if (tables == NULL || states == NULL || spec == NULL || out == NULL || info == NULL || spec->n_sides < 1
        || spec->n_sides > MJ_MAX_SIDES || spec->n_contexts < 1 || spec->legal == NULL || spec->claimed == NULL)
        return MJ_BAD_ARGUMENT;
    for (unsigned side = 0; side < spec->n_sides; side++)
        if (spec->sides[side].program == NULL || spec->sides[side].facts == NULL)
            return MJ_BAD_ARGUMENT;
    if (!are_of_one_space(spec))
        return MJ_BAD_TILE_SET;
    *out = NULL;
    memset(info, 0, sizeof *info);
    mj_proving *b = calloc(1, sizeof *b);
    mj_space *space = calloc(1, sizeof *space);
    if (b == NULL || space == NULL) {
        free(b);
        free(space);
        return MJ_NO_MEMORY;
    }
    b->spec = spec;
    b->tables = tables;
    b->space = space;
    b->info = info;
    space->n_sides = spec->n_sides;
    const mj_status status = build(b, states);
    if (status == MJ_OK && mj_proves(b))
        *out = space;
    else
        mj_space_free(space);
    free_proving(b);
    return status;
}

uint32_t mj_program_asks(const mj_program *program)
{
    uint32_t asks = 0;
    for (unsigned list = 0; list < MJ_FEATURE_LISTS; list++)
        for (uint32_t i = 0; i < program->lists[list].n; i++)
            asks |= mj_is_of_win(program->features[program->lists[list].items[i]].kind);
    return asks | (program->sees_claim ? 3u : 0u);
}

void mj_space_free(mj_space *space)
{
    if (space == NULL)
        return;
    free(space->classes);
    for (unsigned side = 0; side < MJ_MAX_SIDES; side++) {
        mj_pool_free(&space->proofs[side]);
        free(space->numbers[side]);
    }
    free(space);
}

mj_status mj_space_classes(const mj_space *space, mj_hand_class *classes, uint32_t capacity)
{
    if (space == NULL || (classes == NULL && capacity > 0))
        return MJ_BAD_ARGUMENT;
    if (capacity < space->n_classes)
        return MJ_TOO_SMALL;
    if (space->n_classes > 0)
        memcpy(classes, space->classes, space->n_classes * sizeof *classes);
    return MJ_OK;
}

mj_status mj_space_verdicts(const mj_space *space, uint32_t side, mj_proof *proofs, uint32_t n_proofs,
                            uint32_t *numbers, uint64_t n_numbers)
{
    if (space == NULL || side >= space->n_sides || proofs == NULL || numbers == NULL)
        return MJ_BAD_ARGUMENT;
    const uint64_t all = (uint64_t)space->n_classes * space->n_cells;
    if (n_proofs < space->proofs[side].n || n_numbers < all)
        return MJ_TOO_SMALL;
    memcpy(proofs, space->proofs[side].items, space->proofs[side].n * sizeof *proofs);
    if (all > 0)
        memcpy(numbers, space->numbers[side], all * sizeof *numbers);
    return MJ_OK;
}
