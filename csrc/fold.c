/* The tables of a program: what it sees of parts of a hand, classes joined, melds beside them. */
#include <stdlib.h>
#include <string.h>

#include "fold_build.h"

enum {
    MAX_ODD_TILES = 2,
    MAX_JOINED = 65535,
    MAX_JOINS = 1500000       /* pairs of classes that are joined in all */
};

/* ---- can it be folded at all? ------------------------------------------------------ */

static mj_fold_reason check_tiles(const mj_program *program)
{
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const unsigned copies = program->copies[kind];
        const unsigned first = kind < MJ_NUMBER_KINDS ? kind - kind % MJ_RANKS : MJ_NUMBER_KINDS;
        if ((copies != 0 && copies != MJ_MAX_COPIES) || copies != program->copies[first])
            return MJ_ODD_TILES;
    }
    return MJ_FOLDED;
}

/* A shape with each-of parts takes apart few hands, which are only told from the others here: so few
 * tiles must be left beside those parts that what a suit may hold can be listed. */
static bool is_odd(const mj_program *program, const mj_shape *shape)
{
    unsigned left = program->hand_size + 1u;
    for (unsigned i = 0; i < shape->n_each; i++)
        left -= mj_size(shape->each_of[i]);
    return shape->n_each > 0 && left <= MAX_ODD_TILES;
}

static mj_fold_reason check_shapes(mj_builder *b)
{
    for (uint32_t i = 0; i < b->program->n_shapes; i++) {
        const mj_shape *shape = &b->program->shapes[i];
        const bool twins = shape->n_twins > 0;
        b->manners[i] = twins ? MJ_TWINS : MJ_PLAIN;
        if (is_odd(b->program, shape)) {
            b->manners[i] = MJ_ODD;
            b->folds->odd = true;
            continue;
        }
        if (shape->n_runs + shape->n_triplets + shape->n_each + shape->n_singles > 0)
            return MJ_ODD_SHAPE;
        if (twins && shape->n_melds + shape->n_pairs > 0)
            return MJ_ODD_SHAPE;
    }
    return MJ_FOLDED;
}

/* ---- what parts there are ----------------------------------------------------------------- */

typedef struct generators {
    mj_generator *items;
    unsigned n, capacity;
} generators;

static bool add_generator(generators *g, const mj_vector *v, unsigned tiles)
{
    if (g->n == g->capacity) {
        g->capacity = 2 * g->capacity + 1024;
        mj_generator *more = realloc(g->items, g->capacity * sizeof *more);
        if (more == NULL)
            return false;
        g->items = more;
    }
    g->items[g->n++] = (mj_generator){*v, tiles};
    return true;
}

static bool add_honours(const mj_builder *b, generators *g, uint8_t *copies, unsigned i, unsigned tiles)
{
    if (i < MJ_HONOUR_KINDS) {
        for (unsigned n = 0; n <= MJ_MAX_COPIES && tiles + n <= MJ_MAX_TILES; n++) {
            copies[i] = (uint8_t)n;
            if (!add_honours(b, g, copies, i + 1, tiles + n))
                return false;
        }
        return true;
    }
    for (unsigned manner = 0; manner < MJ_MANNERS; manner++) {
        mj_vector v;
        if (mj_see_honours(&b->sight, copies, manner, (mj_mark){MJ_NONE, false}, &v) && !add_generator(g, &v, tiles))
            return false;
        for (unsigned m = 0; m < MJ_HONOUR_KINDS * b->seen.variants; m++) {
            const mj_mark mark = {(uint8_t)(MJ_NUMBER_KINDS + m / b->seen.variants), m % b->seen.variants != 0};
            if (mj_see_honours(&b->sight, copies, manner, mark, &v) && !add_generator(g, &v, tiles))
                return false;
        }
    }
    return true;
}

/* Melds of the tile set; codes beyond those of melds are pungs whose fourth tile is concealed. */
static bool is_meld(const mj_program *program, unsigned code, mj_group *meld)
{
    return mj_meld_of_code(code >= MJ_MELD_CODES ? code - MJ_PUNG_OVERLAP : code, meld)
           && program->copies[meld->tile] > 0;
}

static mj_status gather(const mj_builder *b, generators *g)
{
    for (uint32_t i = 0; i < b->seen.vectors.n; i++)
        if (!add_generator(g, mj_pool_get(&b->seen.vectors, i), b->seen.tiles[i]))
            return MJ_NO_MEMORY;
    uint8_t copies[MJ_HONOUR_KINDS];
    if (b->folds->honours && !add_honours(b, g, copies, 0, 0))
        return MJ_NO_MEMORY;
    for (unsigned code = 1; code < MJ_ALL_MELD_CODES && (b->folds->uses & MJ_FOR_MELDS); code++) {
        mj_group meld;
        if (is_meld(b->program, code, &meld) && !add_generator(g, &b->sight.melds[code], 3))
            return MJ_NO_MEMORY;
    }
    return MJ_OK;
}

static mj_status cut_program(mj_builder *b)
{
    generators g = {NULL, 0, 0};
    mj_status status = gather(b, &g);
    mj_fold_reason reason = MJ_FOLDED;
    if (status == MJ_OK)
        status = mj_cut_program(&b->cut, b->program, &b->sight, (b->folds->uses & MJ_FOR_WAITS) != 0, g.items, g.n, &reason);
    free(g.items);
    b->info->n_atoms = b->cut.n_atoms;
    return status != MJ_OK ? status : mj_give_up(b, reason);
}

/* ---- joins --------------------------------------------------------------------------------- */

static mj_status join_classes(mj_builder *b, const mj_set *left, const mj_set *right, mj_classes *joined, uint16_t *cell)
{
    mj_set set;
    memset(&set, 0, sizeof set);
    for (unsigned l = 0; l < left->n; l++)
        for (unsigned r = 0; r < right->n; r++)
            if (!mj_put_tuple(&set, mj_add_tuples(b, left->tuples[l], right->tuples[r])))
                return mj_give_up(b, MJ_SEES_TOO_MUCH);
    const uint32_t number = set.n == 0 ? MJ_NO_CLASS : mj_pool_put(joined, &set);
    if (number == UINT32_MAX)
        return MJ_NO_MEMORY;
    if (number > MAX_JOINED)
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    *cell = (uint16_t)number;
    return MJ_OK;
}

/* Classes of which the first so many are of parts without a mark; a hand has one mark at most. */
typedef struct side {
    const mj_classes *classes;
    uint32_t n_unmarked;
} side;

static side all_unmarked(const mj_classes *classes)
{
    return (side){classes, classes->n};
}

/* Joins each class of x with each of y; *table is by x, then y.  The new classes begin with none, then come
 * those without a mark. */
static mj_status join(mj_builder *b, side x, side y, mj_classes *joined, uint32_t *n_unmarked, uint16_t **table)
{
    mj_status status = mj_start_classes(joined);
    *table = NULL;
    if (status != MJ_OK)
        return status;
    const uint32_t n_x = x.classes->n, n_y = y.classes->n;
    const uint64_t n = (uint64_t)n_x * n_y - (uint64_t)(n_x - x.n_unmarked) * (n_y - y.n_unmarked);
    if (n > MAX_JOINS || b->n_joins + n > MAX_JOINS)
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    b->n_joins += (uint32_t)n;
    *table = calloc((size_t)n_x * n_y, sizeof **table);
    if (*table == NULL)
        return MJ_NO_MEMORY;
    b->info->bytes += (uint64_t)n_x * n_y * sizeof **table;
    for (unsigned marked = 0; marked < 2; marked++) {
        for (uint32_t i = 0; i < n_x && status == MJ_OK && mj_goes_on(b); i++) {
            for (uint32_t k = 0; k < n_y && status == MJ_OK; k++) {
                if ((i >= x.n_unmarked) + (k >= y.n_unmarked) == (int)marked)
                    status = join_classes(b, mj_pool_get(x.classes, i), mj_pool_get(y.classes, k), joined,
                                          *table + (size_t)i * n_y + k);
            }
        }
        if (marked == 0 && n_unmarked != NULL)
            *n_unmarked = joined->n;
    }
    return status;
}

static mj_status join_suits(mj_builder *b)
{
    side so_far = {&b->suits[0], b->n_unmarked[0]};
    for (unsigned suit = 1; suit <= b->last; suit++) {
        uint32_t n_unmarked;
        const mj_status status = join(b, so_far, (side){&b->suits[suit], b->n_unmarked[suit]}, &b->joined[suit],
                                      &n_unmarked, &b->folds->joins[suit]);
        if (status != MJ_OK || !mj_goes_on(b))
            return status;
        so_far = (side){&b->joined[suit], n_unmarked};
    }
    return MJ_OK;
}

/* Joins of all three suits at once, for batches: one look-up is faster than two. */
static mj_status join_at_once(mj_builder *b)
{
    mj_folds *folds = b->folds;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2];
    const uint64_t n = (uint64_t)folds->n_classes[0] * n_p * n_s;
    if (n > MJ_MAX_TRIPLES)
        return MJ_OK;
    uint16_t *cell = folds->three_suits = malloc(n * sizeof *cell);
    if (cell == NULL)
        return MJ_NO_MEMORY;
    b->info->bytes += n * sizeof *cell;
    for (uint32_t two = 0; two < folds->n_classes[0] * n_p; two++, cell += n_s)
        memcpy(cell, folds->joins[2] + folds->joins[1][two] * n_s, n_s * sizeof *cell);
    return MJ_OK;
}

/* What hands of three suits are worth that have nothing beside, as most are asked for: in one look-up. */
static mj_status weigh_at_once(mj_builder *b)
{
    mj_folds *folds = b->folds;
    const uint32_t n = folds->n_classes[0] * folds->n_classes[1] * folds->n_classes[2];
    for (unsigned by = MJ_BY_OWN_DRAW; by <= MJ_BY_DISCARD && folds->three_suits != NULL && !folds->honours; by++) {
        const unsigned context = folds->context_of[mj_situation(by, 0)][0];
        uint16_t *cell = folds->plain_worths[by] = malloc(n * sizeof *cell);
        if (cell == NULL)
            return MJ_NO_MEMORY;
        b->info->bytes += n * sizeof *cell;
        for (uint32_t place = 0; place < n; place++)
            *cell++ = folds->worth_of[folds->three_suits[place] * folds->n_contexts + context];
    }
    return MJ_OK;
}

/* ---- melds ----------------------------------------------------------------------------------- */

static mj_status join_melds(mj_builder *b)
{
    mj_folds *folds = b->folds;
    mj_status status = mj_start_classes(&b->codes);
    for (unsigned code = 0; code < MJ_ALL_MELD_CODES && status == MJ_OK; code++) {
        mj_group meld;
        mj_set set;
        memset(&set, 0, sizeof set);
        if (code > 0 && !is_meld(b->program, code, &meld))
            continue;
        /* No meld goes with all manners, a meld with the plain one only. */
        for (unsigned manner = MJ_PLAIN; manner < (code == 0 ? MJ_MANNERS : 1) && status == MJ_OK; manner++) {
            uint32_t tuple;
            status = mj_find_tuple(b, &b->sight.melds[code], manner, &tuple);
            mj_put_tuple(&set, tuple);
        }
        if (code == 0 && folds->odd)
            mj_put_tuple(&set, mj_odd_tuple(b));
        folds->code_class[code] = (uint16_t)mj_pool_put(&b->codes, &set);
    }
    folds->n_codes = b->codes.n;
    if (status == MJ_OK)
        status = join(b, all_unmarked(&b->codes), all_unmarked(&b->codes), &b->pair_melds, NULL, &folds->pair_melds);
    folds->n_pair_melds = b->pair_melds.n;
    if (status == MJ_OK && mj_goes_on(b))
        status = join(b, all_unmarked(&b->pair_melds), all_unmarked(&b->pair_melds), &b->all_melds, NULL,
                      &folds->all_melds);
    b->info->n_meld_classes = b->all_melds.n;
    if (status != MJ_OK || !mj_goes_on(b))
        return status;
    folds->no_melds = mj_melds_class(folds, &(mj_told_melds){.n = 0});
    /* By melds first: of hands without any, mostly the greater part, all is then in one place. */
    folds->n_joined = b->joined[b->last].n;
    status = join(b, all_unmarked(&b->all_melds), all_unmarked(&b->joined[b->last]), &b->finals, NULL, &folds->with_melds);
    return status;
}

/* The final classes of three suits without melds, for waits. */
static mj_status finish_at_once(mj_builder *b)
{
    mj_folds *folds = b->folds;
    if (folds->three_suits == NULL || folds->honours || !(folds->uses & MJ_FOR_MELDS))
        return MJ_OK;
    const uint32_t n = folds->n_classes[0] * folds->n_classes[1] * folds->n_classes[2];
    uint16_t *cell = folds->three_finals = malloc(n * sizeof *cell);
    if (cell == NULL)
        return MJ_NO_MEMORY;
    b->info->bytes += n * sizeof *cell;
    for (uint32_t place = 0; place < n; place++)
        *cell++ = folds->with_melds[folds->no_melds * folds->n_joined + folds->three_suits[place]];
    return MJ_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static mj_status prepare(mj_builder *b)
{
    mj_folds *folds = b->folds;
    mj_fold_reason reason = check_tiles(b->program);
    if (reason == MJ_FOLDED)
        reason = check_shapes(b);
    mj_find_live(b->program, (folds->uses & MJ_FOR_WAITS) != 0, b->cut.live);
    if (reason == MJ_FOLDED)
        reason = mj_look(&b->sight, b->program, b->cut.live, (folds->uses & MJ_FOR_WON) != 0);
    if (reason == MJ_FOLDED && folds->odd && (folds->uses & MJ_FOR_VOIDS) && b->sight.sees_void)
        reason = MJ_ODD_SHAPE;
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (b->cut.live[f] && b->program->features[f].kind == MJ_F_SHAPE)
            b->shape_features[b->n_shape_features++] = (uint16_t)f;
        if (b->cut.live[f] && mj_is_of_win(b->program->features[f].kind) && b->sight.first[f] == MJ_NONE)
            b->told_features[b->n_told_features++] = (uint16_t)f;
    }
    b->info->n_features = b->sight.n_coords;
    b->info->sees_win = b->sight.sees_win;
    folds->sees_win = b->sight.sees_win;
    folds->sees_own = b->sight.sees_own;
    folds->sees_void = b->sight.sees_void;
    folds->sees_copies = b->sight.sees_copies;
    folds->overlap_sinks = b->sight.overlap_sinks;
    folds->melds_mix = b->sight.melds_mix;
    folds->tiles = b->program->hand_size + 1u;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        folds->in_set |= b->program->copies[kind] > 0 ? mj_bit(kind) : 0;
    folds->honours = b->program->copies[MJ_NUMBER_KINDS] > 0;
    b->last = folds->honours ? MJ_HONOURS : MJ_HONOURS - 1;
    if (reason == MJ_FOLDED && (folds->uses & MJ_FOR_WON) && b->sight.sees_win)
        return mj_start_won(b);
    return mj_give_up(b, reason);
}

static mj_status build(mj_builder *b, unsigned unit)
{
    mj_status status = prepare(b);
    const bool voids = (b->folds->uses & MJ_FOR_VOIDS) && b->sight.sees_void;
    if (status == MJ_OK && mj_goes_on(b))
        status = mj_see_suits(&b->seen, &b->sight, b->tables, b->states, voids);
    if (status == MJ_OK && mj_goes_on(b)) {
        bool live[MJ_MAX_FEATURES];
        memcpy(live, b->cut.live, sizeof live);
        status = cut_program(b);
        memcpy(b->cut.live, live, sizeof live);
    }
    if (status != MJ_OK || !mj_goes_on(b))
        return status;

    const uint32_t n = b->seen.vectors.n;
    uint32_t *tuple_of = malloc((2 * (size_t)n + 1) * sizeof *tuple_of);
    if (tuple_of == NULL || !mj_pool_start(&b->tuples, sizeof(mj_tuple))
        || !mj_pool_start(&b->worths, sizeof(mj_worth)))
        status = MJ_NO_MEMORY;
    for (uint32_t i = 0; i < 2 * n && status == MJ_OK; i++)
        status = mj_find_tuple(b, mj_pool_get(&b->seen.vectors, i % n), i < n ? MJ_PLAIN : MJ_TWINS, &tuple_of[i]);
    if (status == MJ_OK)
        status = mj_classify_suits(b, tuple_of);
    if (status == MJ_OK && mj_goes_on(b) && b->folds->honours)
        status = mj_make_honours(b);
    if (status == MJ_OK && mj_goes_on(b) && b->folds->odd)
        status = mj_mark_odd_states(b);
    for (unsigned part = 0; part <= b->last; part++)
        b->n_unmarked[part] = b->suits[part].n;
    if (status == MJ_OK && mj_goes_on(b) && b->folds->won != NULL)
        status = mj_classify_marks(b, tuple_of);
    free(tuple_of);
    for (unsigned part = 0; part <= b->last; part++)
        b->folds->n_classes[part] = b->suits[part].n;
    b->info->n_suit_classes = b->suits[0].n;
    if (status == MJ_OK && mj_goes_on(b))
        status = join_suits(b);
    if (status == MJ_OK && mj_goes_on(b))
        status = join_at_once(b);
    b->info->n_joined = b->joined[b->last].n;
    const mj_classes *finals = &b->joined[b->last];
    if (status == MJ_OK && mj_goes_on(b) && (b->folds->uses & MJ_FOR_MELDS)) {
        status = join_melds(b);
        finals = &b->finals;
    }
    if (status == MJ_OK && mj_goes_on(b) && (b->folds->uses & MJ_FOR_WAITS))
        status = finish_at_once(b);
    if (status == MJ_OK && mj_goes_on(b) && (b->folds->uses & MJ_FOR_WAITS))
        return mj_value_classes(b, finals);
    if (status == MJ_OK && mj_goes_on(b))
        status = mj_find_contexts(b);
    if (status == MJ_OK && mj_goes_on(b))
        status = mj_weigh_classes(b, &b->joined[b->last], unit, &b->folds->worth_of);
    if (status == MJ_OK && mj_goes_on(b) && b->folds->won == NULL)
        status = weigh_at_once(b);
    if (status == MJ_OK && mj_goes_on(b) && finals == &b->finals)
        status = mj_weigh_classes(b, finals, unit, &b->folds->final_worth_of);
    if (status == MJ_OK && mj_goes_on(b) && b->folds->won != NULL)
        status = mj_weigh_early(b, b->joined[b->last].n, b->folds->worth_of, &b->folds->won->early_worth_of);
    if (status == MJ_OK && mj_goes_on(b) && b->folds->won != NULL && finals == &b->finals)
        status = mj_weigh_early(b, finals->n, b->folds->final_worth_of, &b->folds->won->final_early_worth_of);
    b->info->n_worths = b->worths.n;
    if (status == MJ_OK && mj_goes_on(b)) {
        b->folds->worths = (mj_worth *)(void *)b->worths.items;
        b->worths.items = NULL;
        b->info->bytes += b->worths.n * sizeof(mj_worth);
    }
    return status;
}

mj_status mj_folds_new(const mj_tables *tables, const mj_states *states, const mj_near *near,
                       const mj_program *program, const int32_t *facts, uint32_t unit, uint32_t uses,
                       mj_folds **out, mj_fold_info *info)
{
    if (tables == NULL || states == NULL || program == NULL || facts == NULL || out == NULL || info == NULL
        || unit >= MJ_UNITS)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    memset(info, 0, sizeof *info);
    mj_builder *b = calloc(1, sizeof *b);
    mj_folds *folds = calloc(1, sizeof *folds);
    if (b == NULL || folds == NULL) {
        free(b);
        free(folds);
        return MJ_NO_MEMORY;
    }
    b->tables = tables;
    b->states = states;
    b->near = near;
    b->program = program;
    b->facts = facts;
    b->folds = folds;
    folds->states = states;
    folds->program = program;
    b->info = info;
    folds->uses = uses;
    const mj_status status = build(b, unit);
    if (status == MJ_OK && mj_goes_on(b)) {
        info->bytes += sizeof *folds;
        *out = folds;
    } else {
        mj_folds_free(folds);
    }
    free(b->class_of[0]);
    free(b->class_of[1]);
    mj_free_seen(&b->seen);
    mj_free_cut(&b->cut);
    mj_pool *pools[] = {&b->tuples, &b->codes, &b->pair_melds, &b->all_melds, &b->finals, &b->worths, &b->early};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        mj_pool_free(pools[i]);
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        mj_pool_free(&b->suits[part]);
        mj_pool_free(&b->joined[part]);
    }
    free(b);
    return status;
}

void mj_free_suit_tables(uint16_t **tables)
{
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        bool shared = false;
        for (unsigned other = 0; other < suit; other++)
            shared |= tables[other] == tables[suit];
        if (!shared)
            free(tables[suit]);
    }
}

void mj_folds_free(mj_folds *folds)
{
    if (folds == NULL)
        return;
    mj_free_suit_tables(folds->suits);
    mj_free_suit_tables(folds->voids);
    for (unsigned part = 0; part < MJ_PARTS; part++)
        free(folds->joins[part]);
    free(folds->three_suits);
    free(folds->three_finals);
    free(folds->honour_classes);
    free(folds->pair_melds);
    free(folds->all_melds);
    free(folds->with_melds);
    free(folds->worth_of);
    free(folds->final_worth_of);
    free(folds->plain_worths[0]);
    free(folds->plain_worths[1]);
    free(folds->worths);
    free(folds->values);
    mj_free_won(folds->won);
    free(folds);
}
