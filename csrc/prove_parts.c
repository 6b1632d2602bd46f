/* Every suit that a hand may have, with the melds beside it, and every hand made of them. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum { TYPES = 5 };

static const uint8_t meld_types[TYPES] = {MJ_CHOW, MJ_PUNG, MJ_DIRECT_KONG, MJ_ADDED_KONG, MJ_CONCEALED_KONG};

mj_group mj_meld_of_local(unsigned code)
{
    return (mj_group){meld_types[(code - 1) % TYPES], (uint8_t)((code - 1) / TYPES)};
}

unsigned mj_global_code(unsigned part, unsigned local)
{
    return 1 + (local - 1) % TYPES * MJ_KINDS + part * MJ_RANKS + (local - 1) / TYPES;
}

/* ---- parts ------------------------------------------------------------------------ */

typedef struct growth {
    mj_parts *parts;
    const mj_program *program;
    uint32_t meld_types;
    bool honours;
    unsigned n_kinds;
    uint8_t concealed[MJ_RANKS];
    uint8_t copies[MJ_RANKS];
    uint32_t index;
    mj_part part;
} growth;

static bool add_part(growth *g, const uint8_t *codes, unsigned n_melds)
{
    mj_parts *parts = g->parts;
    mj_part **list = g->honours ? &parts->honour : &parts->suit;
    uint32_t *n = g->honours ? &parts->n_honour : &parts->n_suit;
    uint32_t *capacity = &parts->capacity[g->honours];
    if (*n == *capacity) {
        *capacity = 2 * *capacity + 1024;
        mj_part *more = realloc(*list, *capacity * sizeof *more);
        if (more == NULL)
            return false;
        *list = more;
    }
    mj_part part = g->part;
    unsigned kinds = 0, kongs = 0;
    bool alone = false;
    uint64_t melds = UINT32_MAX;
    part.tiles = part.key = 0;
    for (unsigned rank = 0; rank < g->n_kinds; rank++) {
        kinds += g->copies[rank] > 0;
        alone |= g->copies[rank] == 1;   /* no meld has a single tile */
        part.tiles = (uint8_t)(part.tiles + g->copies[rank]);
    }
    for (unsigned i = 0; i < n_melds; i++) {
        const unsigned type = (codes[i] - 1) % TYPES;
        melds ^= (uint64_t)(codes[i] ^ 255u) << (24 - 8 * i);
        part.key |= MJ_KEY_MELDS;
        part.key |= (uint8_t)(type >= 2 ? MJ_KEY_DIRECT << (type - 2) : 0);
        kongs += type >= 2;
    }
    part.key |= (uint8_t)((kongs >= 2 ? MJ_KEY_TWO_KONGS : 0) | (alone ? MJ_KEY_ALONE : 0));
    part.size = (uint8_t)(g->part.size + 3 * n_melds);
    part.even = n_melds == 0 && g->part.even;
    part.order = (uint64_t)n_melds << MJ_ORDER_MELDS | (uint64_t)kinds << MJ_ORDER_KINDS
                 | (uint64_t)(MJ_SUIT_MASK - g->index) << MJ_ORDER_INDEX | melds;
    (*list)[(*n)++] = part;
    return true;
}

/* Lays every set of melds beside the concealed tiles, each set once: by rising codes. */
static bool add_melds(growth *g, uint8_t *codes, unsigned n, unsigned least)
{
    if (!add_part(g, codes, n))
        return false;
    if (!g->part.plain || n == MJ_MAX_MELDS || g->part.size + 3 * (n + 1) > g->parts->whole)
        return true;
    for (unsigned code = least; code < MJ_LOCAL_CODES; code++) {
        const mj_group meld = mj_meld_of_local(code);
        const unsigned width = meld.type == MJ_CHOW ? 3 : 1, each = meld.type == MJ_CHOW ? 1 : meld.type == MJ_PUNG ? 3 : 4;
        if (!(g->meld_types >> meld.type & 1) || meld.tile + width > g->n_kinds || (g->honours && width > 1))
            continue;
        bool fits = true;
        for (unsigned k = 0; k < width; k++)
            fits &= g->copies[meld.tile + k] + each <= MJ_MAX_COPIES;
        if (!fits)
            continue;
        for (unsigned k = 0; k < width; k++)
            g->copies[meld.tile + k] = (uint8_t)(g->copies[meld.tile + k] + each);
        codes[n] = (uint8_t)code;
        const bool added = add_melds(g, codes, n + 1, code);
        for (unsigned k = 0; k < width; k++)
            g->copies[meld.tile + k] = (uint8_t)(g->copies[meld.tile + k] - each);
        if (!added)
            return false;
    }
    return true;
}

static bool add_suits(growth *g, const mj_states *states)
{
    for (uint32_t id = 1; id <= states->n; id++) {
        if (states->tiles[id] > g->parts->whole)
            continue;
        for (unsigned rank = 0; rank < MJ_RANKS; rank++)
            g->copies[rank] = states->copies[id] >> 3 * rank & 7;
        g->index = states->index[id];
        g->part = (mj_part){.state = (uint16_t)id, .size = states->tiles[id]};
        g->part.plain = id <= MJ_COMPLETE_SUITS;
        g->part.even = states->even[id];
        uint8_t codes[MJ_PART_MELDS] = {0};
        if (!add_melds(g, codes, 0, 1))
            return false;
    }
    return true;
}

static bool add_honours(growth *g, unsigned kind, unsigned tiles, unsigned pairs, bool plain, bool even, uint32_t index)
{
    if (tiles > g->parts->whole || (!plain && !even))
        return true;
    if (kind == MJ_HONOUR_KINDS) {
        uint8_t codes[MJ_PART_MELDS] = {0};
        g->index = index;
        g->part = (mj_part){.size = (uint8_t)tiles, .plain = plain, .even = even};
        return add_melds(g, codes, 0, 1);
    }
    for (unsigned n = 0; n <= MJ_MAX_COPIES; n++) {
        if (n == 1)
            continue;
        g->copies[kind] = (uint8_t)n;
        const unsigned more = pairs + (n == 2);
        if (!add_honours(g, kind + 1, tiles + n, more, plain && n < 4 && more < 2, even && n % 2 == 0, index * 5 + n))
            return false;
    }
    g->copies[kind] = 0;
    return true;
}

mj_status mj_parts_new(const mj_tables *tables, const mj_states *states, const mj_program *program,
                       uint32_t types, mj_parts **out)
{
    if (tables == NULL || states == NULL || program == NULL || out == NULL)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    mj_parts *parts = calloc(1, sizeof *parts);
    if (parts == NULL)
        return MJ_NO_MEMORY;
    parts->whole = program->hand_size + 1u;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        parts->in_set[part] = program->copies[part * MJ_RANKS] > 0;
    growth g = {.parts = parts, .program = program, .meld_types = types, .n_kinds = MJ_RANKS};
    bool made = add_suits(&g, states);
    g.honours = true;
    g.n_kinds = MJ_HONOUR_KINDS;
    memset(g.copies, 0, sizeof g.copies);
    made = made && (!parts->in_set[MJ_HONOURS] || add_honours(&g, 0, 0, 0, true, true, 0));
    if (!made) {
        mj_parts_free(parts);
        return MJ_NO_MEMORY;
    }
    *out = parts;
    return MJ_OK;
}

void mj_parts_free(mj_parts *parts)
{
    if (parts == NULL)
        return;
    free(parts->suit);
    free(parts->honour);
    free(parts);
}

/* ---- every hand -------------------------------------------------------------------- */

enum { PLAIN = 1, EVEN = 2, TRAITS = 4 };

/* Parts by size and traits, as numbers in their list. */
typedef struct sorted {
    uint32_t *members[MJ_MAX_TILES + 1][TRAITS];
    uint32_t n[MJ_MAX_TILES + 1][TRAITS];
} sorted;

typedef struct writer {
    const mj_parts *parts;
    const sorted *suit, *honour;
    uint64_t skip, total;
    uint32_t capacity, n;
    uint64_t *words, *honours;
    uint32_t *melds;
} writer;

static bool sort_parts(const mj_part *list, uint32_t n, sorted *s)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned size = 0; size <= MJ_MAX_TILES; size++)
            for (unsigned traits = 0; traits < TRAITS; traits++) {
                if (pass == 1) {
                    s->members[size][traits] = malloc((s->n[size][traits] + 1) * sizeof(uint32_t));
                    if (s->members[size][traits] == NULL)
                        return false;
                }
                if (pass == 1)
                    s->n[size][traits] = 0;
            }
        for (uint32_t i = 0; i < n; i++) {
            const unsigned traits = list[i].plain * PLAIN + list[i].even * EVEN;
            if (pass == 1)
                s->members[list[i].size][traits][s->n[list[i].size][traits]] = i;
            s->n[list[i].size][traits] += 1;
        }
    }
    return true;
}

static void free_sorted(sorted *s)
{
    for (unsigned size = 0; size <= MJ_MAX_TILES; size++)
        for (unsigned traits = 0; traits < TRAITS; traits++)
            free(s->members[size][traits]);
}

static void write_hand(writer *w, const mj_part *const *parts)
{
    const uint32_t at = w->n++;
    uint64_t word = 0;
    uint32_t melds = 0;
    unsigned n = 0;
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        if (parts[part] == NULL)
            continue;
        const uint64_t order = parts[part]->order;
        if (part == MJ_HONOURS)
            w->honours[at] = mj_index_of_order(order);
        else
            word |= (uint64_t)mj_index_of_order(order) << part * MJ_SUIT_BITS;
        for (unsigned i = 0; i < mj_melds_of_order(order) && n < MJ_MAX_MELDS; i++)
            melds |= (uint32_t)mj_global_code(part, mj_local_code(order, i)) << 8 * n++;
    }
    w->words[at] = word;
    w->melds[at] = melds;
}

/* Hands whose suits have these sizes and traits. */
static void write_block(writer *w, const unsigned *sizes, const unsigned *traits)
{
    const mj_part *const lists[MJ_PARTS] = {w->parts->suit, w->parts->suit, w->parts->suit, w->parts->honour};
    uint64_t n[MJ_PARTS], all = 1;
    const uint32_t *members[MJ_PARTS];
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        const sorted *s = part == MJ_HONOURS ? w->honour : w->suit;
        n[part] = w->parts->in_set[part] ? s->n[sizes[part]][traits[part]] : sizes[part] == 0;
        members[part] = s->members[sizes[part]][traits[part]];
        all *= n[part];
    }
    w->total += all;
    uint64_t i = w->skip < all ? w->skip : all;
    w->skip -= i;
    for (; i < all && w->n < w->capacity; i++) {
        const mj_part *parts[MJ_PARTS] = {NULL};
        uint64_t rest = i;
        for (unsigned part = MJ_PARTS; part-- > 0;) {
            if (w->parts->in_set[part])
                parts[part] = &lists[part][members[part][rest % n[part]]];
            rest /= n[part];
        }
        write_hand(w, parts);
    }
}

static void write_traits(writer *w, const unsigned *sizes)
{
    unsigned twos = 0;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        twos += sizes[part] % 3 == 2;
    for (unsigned mix = 0; mix < 1 << 2 * MJ_PARTS; mix++) {
        unsigned traits[MJ_PARTS], common = PLAIN | EVEN;
        bool there = true;
        for (unsigned part = 0; part < MJ_PARTS; part++) {
            traits[part] = mix >> 2 * part & 3;
            there &= w->parts->in_set[part] ? traits[part] != 0 : traits[part] == 3;
            common &= traits[part];
        }
        if (there && ((common & EVEN) != 0 || ((common & PLAIN) != 0 && twos == 1)))
            write_block(w, sizes, traits);
    }
}

static void write_sizes(writer *w, unsigned *sizes, unsigned part, unsigned left, unsigned suits)
{
    if (part == MJ_HONOURS) {
        sizes[part] = left;
        if (left == 0 || w->parts->in_set[part])
            write_traits(w, sizes);
        return;
    }
    for (sizes[part] = 0; sizes[part] <= left; sizes[part]++)
        if (sizes[part] == 0 || (suits > 0 && w->parts->in_set[part]))
            write_sizes(w, sizes, part + 1, left - sizes[part], suits - (sizes[part] > 0));
    sizes[part] = 0;
}

mj_status mj_parts_hands(const mj_parts *parts, uint32_t suits, uint64_t first, uint32_t capacity,
                         uint64_t *words, uint64_t *honours, uint32_t *melds, uint32_t *n, uint64_t *total)
{
    if (parts == NULL || n == NULL || total == NULL || (capacity > 0 && (words == NULL || melds == NULL))
        || (capacity > 0 && parts->in_set[MJ_HONOURS] && honours == NULL))
        return MJ_BAD_ARGUMENT;
    sorted *both = calloc(2, sizeof *both);
    if (both == NULL)
        return MJ_NO_MEMORY;
    mj_status status = MJ_NO_MEMORY;
    if (sort_parts(parts->suit, parts->n_suit, &both[0]) && sort_parts(parts->honour, parts->n_honour, &both[1])) {
        writer w = {.parts = parts, .suit = &both[0], .honour = &both[1], .skip = first,
                    .capacity = capacity, .words = words, .honours = honours, .melds = melds};
        unsigned sizes[MJ_PARTS] = {0};
        write_sizes(&w, sizes, 0, parts->whole, suits);
        *n = w.n;
        *total = w.total;
        status = MJ_OK;
    }
    free_sorted(&both[0]);
    free_sorted(&both[1]);
    free(both);
    return status;
}
