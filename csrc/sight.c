/* What a program sees of the parts of a hand: for each feature one count, or for the suits that are
 * there one for each suit.  Adding up a hand's parts gives the feature's value, see fold.h. */
#include <string.h>

#include "fold.h"

bool mj_is_of_win(unsigned kind)
{
    return kind == MJ_F_WIN_TILE_IN || kind == MJ_F_WIN_TILE_VOID || kind == MJ_F_WIN_TILE_OWN
           || kind == MJ_F_WIN_TILE_ALL || kind == MJ_F_WAITS || kind == MJ_F_WAITS_LEFT || kind == MJ_F_WAIT;
}

/* ---- coordinates -------------------------------------------------------------- */

/* Whether all groups of each alternative of a pattern are of one suit. */
static bool is_of_one_suit(const mj_program *program, unsigned pattern, bool *many_groups)
{
    for (uint32_t e = program->pattern_first[pattern]; e < program->pattern_first[pattern + 1]; e++) {
        const mj_example *example = &program->examples[e];
        *many_groups |= example->n_groups > 1;
        for (unsigned i = 1; i < example->n_groups; i++)
            if (mj_suit_of(example->groups[i].tile) != mj_suit_of(example->groups[0].tile))
                return false;
    }
    return true;
}

static mj_fold_reason place_feature(mj_sight *s, unsigned f)
{
    const mj_feature *feature = &s->program->features[f];
    unsigned n = 1;
    if (feature->kind == MJ_F_SHAPE)
        return MJ_FOLDED;   /* known when a reading is weighed */
    if (mj_is_of_win(feature->kind)) {
        s->sees_own |= feature->kind == MJ_F_WIN_TILE_OWN;
        s->sees_win |= feature->kind != MJ_F_WIN_TILE_OWN;
        s->sees_waits |= feature->kind == MJ_F_WAITS || feature->kind == MJ_F_WAITS_LEFT;
        if (feature->kind != MJ_F_WAIT || !s->marks)
            return MJ_FOLDED;   /* not of a part */
    }
    switch (feature->kind) {
    case MJ_F_SUITS:
        n = MJ_PARTS;
        break;
    case MJ_F_VOID_TILES:
        s->sees_void = true;
        break;
    case MJ_F_KINDS:
    case MJ_F_KINDS_UNKONGED:
        s->sees_copies = true;
        break;
    case MJ_F_PATTERN: {
        bool many_groups = false;
        if (!is_of_one_suit(s->program, feature->low, &many_groups))
            return MJ_SEES_SUITS_TOGETHER;
        s->melds_mix |= many_groups && (feature->domain & MJ_DECLARED) != 0;
        break;
    }
    default:
        break;
    }
    if (s->n_coords + n > MJ_COORDS)
        return MJ_SEES_TOO_MUCH;
    s->first[f] = (uint8_t)s->n_coords;
    s->n_of[f] = (uint8_t)n;
    if (feature->kind == MJ_F_SUITS || feature->kind == MJ_F_PATTERN)
        s->capped |= (n == 1 ? 1u : 15u) << s->n_coords;
    if (feature->kind == MJ_F_WAIT)
        s->once |= 1u << s->n_coords;   /* the winning tile came to one part */
    s->n_coords += n;
    return MJ_FOLDED;
}

/* ---- what is seen of tiles and groups ----------------------------------------------- */

/* Whether a kind with so many copies counts; a kong stands with none where `unkonged`. */
static unsigned counts(const mj_feature *feature, unsigned kind, unsigned copies)
{
    return (feature->tiles >> kind & 1) && copies >= feature->low && copies <= feature->high;
}

static void see_copies(const mj_sight *s, unsigned kind, unsigned copies, mj_vector *v)
{
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (s->first[f] == MJ_NONE)
            continue;
        const mj_feature *feature = &s->program->features[f];
        if (feature->kind == MJ_F_TILES && (feature->tiles >> kind & 1))
            mj_raise(v, s->first[f], copies);
        if ((feature->kind == MJ_F_KINDS || feature->kind == MJ_F_KINDS_UNKONGED) && copies > 0)
            mj_raise(v, s->first[f], counts(feature, kind, copies));
    }
}

static void see_group(const mj_sight *s, mj_group group, mj_vector *v)
{
    const mj_view view = {.program = s->program};
    const mj_reading reading = {.groups = {group}, .n_groups = 1};
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        if (s->first[f] != MJ_NONE && s->program->features[f].kind == MJ_F_GROUPS)
            mj_raise(v, s->first[f],
                     (unsigned)mj_reading_feature(&view, &s->program->features[f], &reading));
}

/* A declared meld; `beside` copies of its kind are concealed, 1 for a pung whose fourth tile is. */
static void see_meld(mj_sight *s, mj_group meld, unsigned beside, mj_vector *v)
{
    const bool kong = mj_is_a(meld, MJ_KONGS);
    const uint64_t kinds = mj_kinds_of(meld);
    const unsigned copies = meld.type == MJ_CHOW ? 1 : kong ? 4 : 3;   /* of each kind */
    const mj_view view = {.program = s->program};
    const mj_reading reading = {.groups = {meld}, .n_groups = 1};
    see_group(s, meld, v);
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (s->first[f] == MJ_NONE)
            continue;
        const mj_feature *feature = &s->program->features[f];
        const unsigned first = s->first[f];
        unsigned before, after;
        switch (feature->kind) {
        case MJ_F_TILES:
            mj_raise(v, first, mj_size(feature->tiles & kinds) * copies);
            break;
        case MJ_F_KINDS:
        case MJ_F_KINDS_UNKONGED:
            if (meld.type == MJ_CHOW) {
                for (unsigned k = 0; k < 3; k++)
                    mj_raise(v, first, counts(feature, meld.tile + k, copies));
                break;
            }
            before = beside > 0 ? counts(feature, meld.tile, beside) : 0;
            after = counts(feature, meld.tile, copies + beside);
            if (kong && feature->kind == MJ_F_KINDS_UNKONGED)
                after = counts(feature, meld.tile, 0);
            s->overlap_sinks |= before > after;
            mj_raise(v, first, after > before ? after - before : 0);
            break;
        case MJ_F_SUITS:
            mj_raise(v, first + mj_suit_of(meld.tile), feature->types >> mj_suit_of(meld.tile) & 1);
            break;
        case MJ_F_CONCEALED:
            mj_raise(v, first, 1);
            break;
        case MJ_F_MELDS:
            mj_raise(v, first, mj_is_a(meld, feature->types));
            break;
        case MJ_F_PATTERN:
            mj_raise(v, first, (unsigned)mj_reading_feature(&view, feature, &reading));
            break;
        default:
            break;
        }
    }
}

mj_fold_reason mj_look(mj_sight *s, const mj_program *program, const bool *live, bool marks)
{
    memset(s, 0, sizeof *s);
    s->marks = marks;
    memset(s->first, MJ_NONE, sizeof s->first);
    s->program = program;
    s->sees_win = program->sees_claim;
    s->pairs = MJ_NONE;
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        const mj_fold_reason reason = live[f] ? place_feature(s, f) : MJ_FOLDED;
        if (reason != MJ_FOLDED)
            return reason;
    }
    bool honours = false;
    for (unsigned kind = MJ_NUMBER_KINDS; kind < MJ_KINDS; kind++)
        honours |= program->copies[kind] > 0;
    if (honours) {
        /* Of three complete suits that make up a hand exactly one has the pair; of four all may. */
        if (s->n_coords == MJ_COORDS)
            return MJ_SEES_TOO_MUCH;
        s->pairs = s->n_coords++;
    }
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        for (unsigned copies = 0; copies <= MJ_MAX_COPIES; copies++)
            see_copies(s, kind, copies, &s->copies[kind][copies]);
        for (unsigned type = 0; type < MJ_GROUP_TYPES; type++)
            if (type > MJ_CHOW || mj_starts_run(kind))
                see_group(s, (mj_group){(uint8_t)type, (uint8_t)kind}, &s->groups[type][kind]);
        if (s->pairs != MJ_NONE)
            mj_raise(&s->groups[MJ_PAIR][kind], s->pairs, 1);
    }
    for (unsigned code = 1; code < MJ_MELD_CODES; code++) {
        mj_group meld;
        if (!mj_meld_of_code(code, &meld))
            continue;
        see_meld(s, meld, 0, &s->melds[code]);
        if (meld.type == MJ_PUNG)
            see_meld(s, meld, 1, &s->melds[code + MJ_PUNG_OVERLAP]);
    }
    return MJ_FOLDED;
}

int64_t mj_feature_of_sum(const mj_sight *s, unsigned f, const mj_vector *sum)
{
    const mj_feature *feature = &s->program->features[f];
    if (s->first[f] == MJ_NONE)
        return 0;
    const unsigned first = s->first[f];
    int64_t suits = 0;
    switch (feature->kind) {
    case MJ_F_SUITS:
        for (unsigned i = 0; i < MJ_PARTS; i++)
            suits += mj_coord(sum, first + i) > 0;
        return suits;
    case MJ_F_CONCEALED:
        return s->program->hand_size + 1 - 3 * (int64_t)mj_coord(sum, first);
    case MJ_F_PATTERN:
        return mj_coord(sum, first) > 0;
    default:
        return mj_coord(sum, first);
    }
}
