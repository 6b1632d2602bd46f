/* What a program sees of the parts of a hand: a vector of counts for each reading.
 *
 * The vectors are those of folds (sight.c), but a part's melds are in them, so copies are counted as the
 * hand holds them and patterns are looked for among concealed and declared groups together.
 *
 * Most programs see all suits alike, but that they count how many there are.  Then what is seen of one suit is what
 * is seen of the first, *turned*: its coordinates of the two suits change places. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum { TILES = 4 * MJ_PART_MELDS + 3 };   /* numbers of tiles a part may have */

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

/* ---- suits that are seen alike ----------------------------------------------------------- */

/* A vector of the first suit, turned to another. */
static mj_vector turn(const mj_sight *s, mj_vector v, unsigned suit)
{
    mj_vector turned = v;
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (s->first[f] == MJ_NONE || s->program->features[f].kind != MJ_F_SUITS)
            continue;
        const unsigned first = s->first[f], own = first + suit;
        const uint64_t change = mj_coord(&v, first) ^ mj_coord(&v, own);
        turned.bytes[first / 8] ^= change << first % 8 * 8;
        turned.bytes[own / 8] ^= change << own % 8 * 8;
    }
    return turned;
}

static bool is_turned(const mj_sight *s, const mj_vector *first, const mj_vector *other, unsigned suit)
{
    const mj_vector turned = turn(s, *first, suit);
    return memcmp(&turned, other, sizeof turned) == 0;
}

/* Whether all that vectors are added up from is the same for a suit as for the first.  Patterns may be too, but
 * that is not looked for. */
static bool is_seen_alike(const mj_looker *l, unsigned suit)
{
    const mj_sight *s = &l->a->sight;
    const unsigned own = suit * MJ_RANKS;
    bool alike = !l->patterns;
    for (unsigned rank = 0; rank < MJ_RANKS && alike; rank++) {
        for (unsigned copies = 0; copies <= MJ_MAX_COPIES && alike; copies++)
            alike = is_turned(s, &l->kinds[rank][copies], &l->kinds[own + rank][copies], suit);
        for (unsigned type = 0; type < MJ_GROUP_TYPES && alike; type++)
            alike = is_turned(s, &s->groups[type][rank], &s->groups[type][own + rank], suit);
        alike = alike && is_turned(s, &l->konged[rank], &l->konged[own + rank], suit);
    }
    for (unsigned code = 1; code < MJ_LOCAL_CODES && alike; code++)
        alike = is_turned(s, &l->melds[0][code], &l->melds[suit][code], suit);
    for (unsigned i = 0; i < 2 * TILES && alike; i++)
        alike = is_turned(s, &l->whole[0][i / TILES][i % TILES], &l->whole[suit][i / TILES][i % TILES], suit);
    return alike;
}

/* The first suit's vectors and rows for another suit. */
static bool see_turned(mj_aspect *a, unsigned suit, const size_t *n_rows)
{
    const uint32_t n = a->n_first;
    uint32_t *turned = a->turned[suit] = malloc((n + 1) * sizeof *turned);
    bool done = turned != NULL;
    for (uint32_t i = 0; i < n && done; i++) {
        const mj_vector v = turn(&a->sight, *(const mj_vector *)mj_pool_get(&a->vectors, i), suit);
        done = put_vector(a, &v, a->fewest[i], &turned[i]);
    }
    for (unsigned is_void = 0; is_void < 2 && done; is_void++)
        for (size_t i = 0; i < n_rows[is_void]; i++)
            a->rows[suit][is_void][i] = turned[a->rows[0][is_void][i]];
    return done;
}

/* ---- all parts ------------------------------------------------------------------------------- */

static bool see_one_by_one(mj_looker *l, unsigned part, bool is_void, const mj_parts *parts, const mj_spots *places)
{
    mj_aspect *a = l->a;
    const mj_part *list = part == MJ_HONOURS ? parts->honour : parts->suit;
    const uint32_t n = part == MJ_HONOURS ? parts->n_honour : parts->n_suit;
    uint32_t *row = a->rows[part][is_void];
    if (is_void && !see_as_void(l, part, list, n, a->rows[part][0], row))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if ((!is_void && !see_part(l, part, false, &list[i], row))
            || (a->win.claims && !see_claims(l, part, is_void, &list[i], places)))
            return false;
        row += mj_part_readings(a->tables, &list[i]);
    }
    return true;
}

static size_t count_readings(const mj_tables *tables, const mj_part *list, uint32_t n)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += mj_part_readings(tables, &list[i]);
    return sum;
}

mj_status mj_aspect_see(mj_aspect *a, const mj_parts *parts, const mj_spots *places, bool voids)
{
    mj_looker *l = a->looker = calloc(1, sizeof *l);
    if (l == NULL || !mj_pool_start(&a->vectors, sizeof(mj_vector)))
        return MJ_NO_MEMORY;
    l->a = a;
    prepare(l);
    const size_t of_suit = count_readings(a->tables, parts->suit, parts->n_suit);
    const size_t of_honours = count_readings(a->tables, parts->honour, parts->n_honour);
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        size_t n_rows[2] = {part == MJ_HONOURS ? of_honours : of_suit, voids && part < MJ_HONOURS ? of_suit : 0};
        for (unsigned is_void = 0; is_void < 2; is_void++) {
            if (is_void && n_rows[is_void] == 0)
                continue;
            a->rows[part][is_void] = malloc((n_rows[is_void] + 1) * sizeof *a->rows[part][is_void]);
            if (a->rows[part][is_void] == NULL)
                return MJ_NO_MEMORY;
        }
        if (!parts->in_set[part])
            continue;
        if (part > 0 && part < MJ_HONOURS && parts->in_set[0] && is_seen_alike(l, part)) {
            if (!see_turned(a, part, n_rows))
                return MJ_NO_MEMORY;
            continue;
        }
        for (unsigned is_void = 0; is_void < 2; is_void++)
            if (a->rows[part][is_void] != NULL && !see_one_by_one(l, part, is_void, parts, places))
                return MJ_NO_MEMORY;
        if (part == 0)
            a->n_first = a->vectors.n;
    }
    return MJ_OK;
}

uint32_t mj_claimed_vector(mj_aspect *a, const mj_marked_part *mark, const mj_spot *place)
{
    opened o;
    open_part(a->looker, mark->part, mark->is_void && a->rows[mark->part][1] != NULL, mark->p, &o);
    const mj_vector v = see_plain(a->looker, &o, place->reading, place->triplet);
    return mj_pool_put(&a->vectors, &v);
}
