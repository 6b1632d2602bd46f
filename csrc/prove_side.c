/* What a program sees of the parts of a hand: a vector of counts for each reading, and its tuple.
 *
 * The vectors are those of folds (sight.c), but a part's melds are in them, so copies are counted as the
 * hand holds them and patterns are looked for among concealed and declared groups together. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum {
    SUM_SLOTS = 1 << 16,
    TILES = 4 * MJ_PART_MELDS + 3   /* numbers of tiles a part may have */
};

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

/* ---- vectors ------------------------------------------------------------------------ */

/* What is seen of a kind, of a meld and of a part as a whole, made once. */
struct mj_looker {
    mj_aspect *a;
    mj_vector kinds[MJ_KINDS][MJ_MAX_COPIES + 1];
    mj_vector konged[MJ_KINDS];
    mj_vector melds[MJ_PARTS][MJ_LOCAL_CODES];
    mj_vector whole[MJ_PARTS][2][TILES];
    bool patterns;
};

/* A part as all its readings see it: its melds, and the vector of all but its concealed groups. */
typedef struct opened {
    unsigned part, lowest, n_kinds;
    const mj_part *p;
    uint8_t concealed[MJ_RANKS];
    mj_reading melds;
    mj_vector v;
} opened;

static mj_vector see_kind(const mj_sight *s, unsigned kind, unsigned copies, bool konged)
{
    mj_vector v = {{0}};
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (s->first[f] == MJ_NONE)
            continue;
        const mj_feature *feature = &s->program->features[f];
        const unsigned standing = konged && feature->kind == MJ_F_KINDS_UNKONGED ? 0 : copies;
        if (!(feature->tiles >> kind & 1))
            continue;
        if (feature->kind == MJ_F_TILES)
            mj_raise(&v, s->first[f], copies);
        if ((feature->kind == MJ_F_KINDS || feature->kind == MJ_F_KINDS_UNKONGED) && copies > 0)
            mj_raise(&v, s->first[f], standing >= feature->low && standing <= feature->high);
    }
    return v;
}

static mj_vector see_declared(const mj_sight *s, mj_group meld)
{
    mj_vector v = s->groups[meld.type][meld.tile];
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (s->first[f] == MJ_NONE)
            continue;
        const mj_feature *feature = &s->program->features[f];
        if (feature->kind == MJ_F_CONCEALED)
            mj_raise(&v, s->first[f], 1);
        if (feature->kind == MJ_F_MELDS)
            mj_raise(&v, s->first[f], mj_is_a(meld, feature->types));
    }
    return v;
}

static mj_vector see_whole(const mj_sight *s, unsigned part, unsigned tiles, bool is_void)
{
    mj_vector v = {{0}};
    for (unsigned f = 0; f < MJ_MAX_FEATURES && tiles > 0; f++) {
        if (s->first[f] == MJ_NONE)
            continue;
        const mj_feature *feature = &s->program->features[f];
        if (feature->kind == MJ_F_SUITS && (feature->types >> part & 1))
            mj_raise(&v, s->first[f] + part, 1);
        if (feature->kind == MJ_F_VOID_TILES && is_void)
            mj_raise(&v, s->first[f], tiles);
    }
    return v;
}

static void prepare(mj_looker *l)
{
    const mj_sight *s = &l->a->sight;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        for (unsigned copies = 0; copies <= MJ_MAX_COPIES; copies++)
            l->kinds[kind][copies] = see_kind(s, kind, copies, false);
        l->konged[kind] = see_kind(s, kind, MJ_MAX_COPIES, true);
    }
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        for (unsigned code = 1; code < MJ_LOCAL_CODES; code++) {
            mj_group meld = mj_meld_of_local(code);
            const unsigned kind = part * MJ_RANKS + meld.tile;
            meld.tile = (uint8_t)kind;
            if (kind < MJ_KINDS && (meld.type > MJ_CHOW || mj_starts_run(kind)))
                l->melds[part][code] = see_declared(s, meld);
        }
        for (unsigned is_void = 0; is_void < 2; is_void++)
            for (unsigned tiles = 0; tiles < TILES; tiles++)
                l->whole[part][is_void][tiles] = see_whole(s, part, tiles, is_void);
    }
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        l->patterns |= s->first[f] != MJ_NONE && s->program->features[f].kind == MJ_F_PATTERN;
}

static mj_vector whole_vector(const mj_looker *l, mj_vector v, const mj_reading *reading)
{
    const mj_aspect *a = l->a;
    const mj_view view = {.program = a->program};
    for (unsigned f = 0; l->patterns && f < MJ_MAX_FEATURES; f++)
        if (a->sight.first[f] != MJ_NONE && a->program->features[f].kind == MJ_F_PATTERN)
            mj_raise(&v, a->sight.first[f], (unsigned)mj_reading_feature(&view, &a->program->features[f], reading));
    return v;
}

static void note_size(mj_aspect *a, uint32_t vector, unsigned size)
{
    if (size < a->fewest[vector])
        a->fewest[vector] = (uint8_t)size;
}

static bool put_vector(mj_aspect *a, const mj_vector *v, unsigned size, uint32_t *row)
{
    const uint32_t before = a->vectors.n;
    *row = mj_pool_put(&a->vectors, v);
    if (*row == UINT32_MAX)
        return false;
    if (a->vectors.n > before && (before & (before - 1)) == 0) {   /* at every power of two */
        uint8_t *more = realloc(a->fewest, before == 0 ? 1 : 2 * (size_t)before);
        if (more == NULL)
            return false;
        a->fewest = more;
    }
    if (a->vectors.n > before)
        a->fewest[*row] = (uint8_t)size;
    note_size(a, *row, size);
    return true;
}

static void open_part(const mj_looker *l, unsigned part, bool is_void, const mj_part *p, opened *o)
{
    const unsigned n_melds = mj_melds_of_order(p->order);
    uint8_t copies[MJ_RANKS];
    uint32_t konged = 0;
    o->part = part;
    o->lowest = part * MJ_RANKS;
    o->n_kinds = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
    o->p = p;
    o->melds.n_groups = 0;
    o->v = l->whole[part][is_void][p->tiles];
    mj_part_copies(p, o->n_kinds, o->concealed);
    memcpy(copies, o->concealed, sizeof copies);
    for (unsigned i = 0; i < n_melds; i++) {
        const unsigned code = mj_local_code(p->order, i);
        const mj_group meld = mj_meld_of_local(code);
        const unsigned width = meld.type == MJ_CHOW ? 3 : 1, each = meld.type == MJ_CHOW ? 1 : meld.type == MJ_PUNG ? 3 : 4;
        for (unsigned k = 0; k < width; k++)
            copies[meld.tile + k] = (uint8_t)(copies[meld.tile + k] + each);
        konged |= (uint32_t)(each == 4) << meld.tile;
        o->melds.groups[o->melds.n_groups++] = (mj_group){meld.type, (uint8_t)(o->lowest + meld.tile)};
        mj_add(&o->v, &l->melds[part][code]);
    }
    for (unsigned i = 0; i < o->n_kinds; i++)
        mj_add(&o->v, konged >> i & 1 ? &l->konged[o->lowest + i] : &l->kinds[o->lowest + i][copies[i]]);
}

static void add_group(const mj_looker *l, const opened *o, mj_reading *reading, mj_vector *v, unsigned type, unsigned rank)
{
    const unsigned kind = o->lowest + rank;
    reading->groups[reading->n_groups++] = (mj_group){(uint8_t)type, (uint8_t)kind};
    mj_add(v, &l->a->sight.groups[type][kind]);
}

/* The vector of a reading of melds, of which group `claimed` was completed by another's tile, or MJ_NONE. */
static mj_vector see_plain(const mj_looker *l, const opened *o, unsigned number, unsigned claimed)
{
    mj_reading reading;
    reading.n_groups = o->melds.n_groups;
    memcpy(reading.groups, o->melds.groups, reading.n_groups * sizeof *reading.groups);
    mj_vector v = o->v;
    if (o->part == MJ_HONOURS) {
        for (unsigned i = 0, g = 0; i < o->n_kinds; i++)
            if (o->concealed[i] > 0)
                add_group(l, o, &reading, &v,
                          g++ == claimed ? MJ_TRIPLET_CLAIMED : o->concealed[i] == 2 ? MJ_PAIR : MJ_TRIPLET, i);
    } else {
        const mj_tables *tables = l->a->tables;
        const mj_suit_reading *own = &tables->readings[tables->first[o->p->state] + number];
        for (unsigned g = 0; g < own->n_groups; g++)
            add_group(l, o, &reading, &v, g == claimed ? MJ_TRIPLET_CLAIMED : own->groups[g].type, own->groups[g].tile);
    }
    return whole_vector(l, v, &reading);
}

static mj_vector see_twins(const mj_looker *l, const opened *o)
{
    mj_reading reading = {.n_groups = 0};
    mj_vector v = o->v;
    for (unsigned i = 0; i < o->n_kinds; i++)
        for (unsigned n = o->concealed[i]; n >= 2; n -= 2)
            add_group(l, o, &reading, &v, MJ_TWIN, i);
    return whole_vector(l, v, &reading);
}

/* The vectors of a part's readings. */
static bool see_part(mj_looker *l, unsigned part, bool is_void, const mj_part *p, uint32_t *row)
{
    opened o;
    open_part(l, part, is_void, p, &o);
    const unsigned n = mj_part_readings(l->a->tables, p);
    for (unsigned r = 0; r < n; r++) {
        const mj_vector v = p->even && r == n - 1 ? see_twins(l, &o) : see_plain(l, &o, r, MJ_NONE);
        if (!put_vector(l->a, &v, p->size, row++))
            return false;
    }
    return true;
}

/* The vectors that a part has besides, where its winning tile was claimed. */
static bool see_claims(mj_looker *l, unsigned part, bool is_void, const mj_part *p, const mj_spots *places)
{
    mj_spot room[2 * MJ_HONOUR_KINDS];
    unsigned n;
    const mj_spot *place = mj_spots_of(places, p, part == MJ_HONOURS, room, &n);
    opened o;
    open_part(l, part, is_void, p, &o);
    for (; n-- > 0; place++) {
        if (place->triplet == MJ_NONE)
            continue;
        const mj_vector v = see_plain(l, &o, place->reading, place->triplet);
        uint32_t number;
        if (!put_vector(l->a, &v, p->size, &number))
            return false;
    }
    return true;
}

unsigned mj_part_readings(const mj_tables *tables, const mj_part *part)
{
    const unsigned plain = !part->plain ? 0 : part->state == 0 ? 1 : tables->first[part->state + 1] - tables->first[part->state];
    return plain + part->even;
}

/* The same parts as the void suit: whatever their vectors were, their tiles are counted besides. */
static bool see_as_void(mj_looker *l, unsigned part, const mj_part *list, uint32_t n, const uint32_t *row, uint32_t *as_void)
{
    mj_aspect *a = l->a;
    const uint32_t n_vectors = a->vectors.n;
    uint32_t *known = malloc(((size_t)n_vectors * TILES + 1) * sizeof *known);
    bool done = known != NULL;
    if (done)
        memset(known, 0xff, (size_t)n_vectors * TILES * sizeof *known);
    for (uint32_t i = 0; i < n && done; i++) {
        const unsigned tiles = list[i].tiles;
        for (unsigned r = mj_part_readings(a->tables, &list[i]); r > 0 && done; r--, row++, as_void++) {
            uint32_t *other = &known[(size_t)*row * TILES + tiles];
            if (*other == UINT32_MAX) {
                mj_vector v = *(const mj_vector *)mj_pool_get(&a->vectors, *row);
                for (unsigned k = 0; k < MJ_COORDS / 8; k++)
                    v.bytes[k] += l->whole[part][1][tiles].bytes[k] - l->whole[part][0][tiles].bytes[k];
                done = put_vector(a, &v, list[i].size, other);
            }
            *as_void = *other;
            if (done)
                note_size(a, *other, list[i].size);
        }
    }
    free(known);
    return done;
}

static mj_status see_parts(mj_aspect *a, const mj_parts *parts, const mj_spots *places, bool voids)
{
    mj_looker *l = a->looker = calloc(1, sizeof *l);
    if (l == NULL || !mj_pool_start(&a->vectors, sizeof(mj_vector)))
        return MJ_NO_MEMORY;
    l->a = a;
    prepare(l);
    mj_status status = MJ_OK;
    for (unsigned part = 0; part < MJ_PARTS && status == MJ_OK; part++) {
        const mj_part *list = part == MJ_HONOURS ? parts->honour : parts->suit;
        const uint32_t n = part == MJ_HONOURS ? parts->n_honour : parts->n_suit;
        for (unsigned is_void = 0; is_void <= (voids && part < MJ_HONOURS) && status == MJ_OK; is_void++) {
            size_t rows = 1;
            for (uint32_t i = 0; i < n; i++)
                rows += mj_part_readings(a->tables, &list[i]);
            uint32_t *row = a->rows[part][is_void] = malloc(rows * sizeof *row);
            status = row == NULL ? MJ_NO_MEMORY : MJ_OK;
            if (status == MJ_OK && is_void && parts->in_set[part]
                && !see_as_void(l, part, list, n, a->rows[part][0], row))
                status = MJ_NO_MEMORY;
            for (uint32_t i = 0; i < n && parts->in_set[part] && status == MJ_OK; i++) {
                if ((!is_void && !see_part(l, part, false, &list[i], row))
                    || (a->win.claims && !see_claims(l, part, is_void, &list[i], places)))
                    status = MJ_NO_MEMORY;
                row += mj_part_readings(a->tables, &list[i]);
            }
        }
    }
    return status;
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
    return status;
}

/* What is seen of the winning tile, and room for tuples with it. */
static mj_status start_win(mj_aspect *a, const mj_side *side, uint32_t n_contexts, mj_fold_reason *reason)
{
    const mj_status status = mj_win_elements(&a->win, &a->cut, a->program, side->facts, n_contexts, reason);
    if (status != MJ_OK || *reason != MJ_FOLDED)
        return status;
    a->n_tuples = a->tuples.n;
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
    mj_status status = see_parts(a, parts, places, spec->voids != 0 && a->sight.sees_void);
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
    for (unsigned part = 0; part < MJ_PARTS; part++)
        for (unsigned is_void = 0; is_void < 2; is_void++)
            free(a->rows[part][is_void]);
    for (unsigned manner = 0; manner < MJ_MANNERS; manner++)
        free(a->tuple_of[manner]);
    memset(a, 0, sizeof *a);
}

/* ---- sets of tuples ----------------------------------------------------------------------- */

static bool put_tuple(mj_set *set, uint32_t tuple)
{
    if (tuple == MJ_NO_TUPLE)
        return true;
    unsigned place = 0;
    while (place < set->n && set->tuples[place] < tuple)
        place++;
    if (place < set->n && set->tuples[place] == tuple)
        return true;
    if (set->n == MJ_SET_SIZE)
        return false;
    for (unsigned i = set->n; i > place; i--)
        set->tuples[i] = set->tuples[i - 1];
    set->tuples[place] = tuple;
    set->n += 1;
    return true;
}

bool mj_aspect_set(const mj_aspect *a, const mj_part *part, const uint32_t *row, mj_set *set)
{
    const unsigned n = mj_part_readings(a->tables, part);
    memset(set, 0, sizeof *set);
    for (unsigned r = 0; r < n; r++)
        if (!put_tuple(set, a->tuple_of[part->even && r == n - 1 ? MJ_TWINS : MJ_PLAIN][row[r]]))
            return false;
    return true;
}

/* A tuple without a winning tile, with this element. */
static uint32_t won_tuple(mj_aspect *a, uint32_t tuple, unsigned element)
{
    uint32_t *known = &a->won[(size_t)tuple * a->win.n_elements + element];
    if (*known == MJ_NO_TUPLE) {
        mj_won_tuple won = *(const mj_won_tuple *)mj_pool_get(&a->tuples, tuple);
        won.win = (uint8_t)element;
        *known = mj_pool_put(&a->tuples, &won);
    }
    return *known;
}

/* The vector of a place of the winning tile that was claimed; all such vectors are known. */
static uint32_t claimed_vector(mj_aspect *a, const mj_marked_part *mark, const mj_spot *place)
{
    opened o;
    open_part(a->looker, mark->part, mark->is_void && a->rows[mark->part][1] != NULL, mark->p, &o);
    const mj_vector v = see_plain(a->looker, &o, place->reading, place->triplet);
    return mj_pool_put(&a->vectors, &v);
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
        const uint32_t tuple = a->tuple_of[manner][other ? claimed_vector(a, mark, place) : row[place->reading]];
        if (tuple == MJ_NO_TUPLE)
            continue;
        const unsigned element = a->win.is_seen ? mj_win_element(&a->win, mark->part, mark->is_void, mark->rank,
                                                                 mark->own, mark->all, place->wait) : 0;
        const uint32_t won = element == 0 ? tuple : won_tuple(a, tuple, element);
        if (won == MJ_NO_TUPLE)
            return MJ_NO_MEMORY;
        *full |= !put_tuple(set, won);
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
            *full |= !put_tuple(sum, tuple);
        }
    }
    return MJ_OK;
}
