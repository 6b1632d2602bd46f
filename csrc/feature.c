/* The numbers that a program reads from a hand and from one reading of it. */
#include <string.h>

#include "kernel.h"

void mj_view_hand(mj_view *view, const mj_tables *tables, const mj_program *program,
                  const mj_hand *hand)
{
    view->tables = tables;
    view->program = program;
    view->hand = hand;
    view->konged = 0;
    view->knows_waits = false;
    memcpy(view->copies, hand->concealed, sizeof view->copies);
    for (unsigned i = 0; i < hand->n_melds; i++) {
        const mj_group meld = hand->melds[i];
        if (meld.type == MJ_CHOW) {
            for (unsigned k = 0; k < 3; k++)
                view->copies[meld.tile + k] += 1;
        } else if (mj_is_a(meld, MJ_KONGS)) {
            view->copies[meld.tile] = (uint8_t)(view->copies[meld.tile] + 4);
            view->konged |= mj_bit(meld.tile);
        } else {
            view->copies[meld.tile] = (uint8_t)(view->copies[meld.tile] + 3);
        }
    }
    memset(view->with_copies, 0, sizeof view->with_copies);
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        if (view->copies[kind] > 0)
            view->with_copies[view->copies[kind]] |= mj_bit(kind);
}

bool mj_feature_is_truth(mj_feature_kind kind)
{
    return kind == MJ_F_WIN_TILE_IN || kind == MJ_F_WIN_TILE_VOID || kind == MJ_F_PATTERN;
}

bool mj_feature_is_of_reading(mj_feature_kind kind)
{
    return kind >= MJ_F_SHAPE;
}

/* ---- of the hand ----------------------------------------------------------- */

static int64_t count_tiles(const mj_view *view, uint64_t set)
{
    int64_t sum = 0;
    for (unsigned copies = 1; copies <= MJ_MAX_COPIES + 1; copies++)
        sum += copies * mj_size(view->with_copies[copies] & set);
    return sum;
}

/* A kind stands with all its copies, or, `unkonged`, with none once it is a kong. */
static int64_t count_kinds(const mj_view *view, const mj_feature *feature, bool unkonged)
{
    int64_t sum = 0;
    for (unsigned copies = feature->low; copies <= feature->high && copies <= MJ_MAX_COPIES + 1; copies++) {
        uint64_t kinds = view->with_copies[copies];
        if (unkonged)
            kinds = copies == 0 ? view->konged : kinds & ~view->konged;
        sum += mj_size(kinds & feature->tiles);
    }
    return sum;
}

static int64_t count_suits(const mj_view *view, unsigned suits)
{
    uint64_t held = 0;
    for (unsigned copies = 1; copies <= MJ_MAX_COPIES + 1; copies++)
        held |= view->with_copies[copies];
    int64_t sum = 0;
    for (unsigned suit = 0; suit < MJ_SUITS; suit++)
        sum += (suits >> suit & 1) && (held & mj_suit_kinds(suit)) != 0;
    return sum;
}

/* Waits of the hand before the win, dead ones left out. */
static uint64_t find_live_waits(const mj_view *view)
{
    if (view->hand->win_tile == MJ_NONE)
        return 0;
    mj_hand before = *view->hand;
    before.concealed[before.win_tile] -= 1;
    uint64_t kinds = mj_completing_kinds(view->tables, view->program, &before);
    for (uint64_t rest = kinds; rest != 0; rest &= rest - 1) {
        const unsigned kind = mj_lowest(rest);
        if (before.concealed[kind] >= view->program->copies[kind])
            kinds &= ~mj_bit(kind);
    }
    return kinds;
}

static uint64_t live_waits(mj_view *view)
{
    if (!view->knows_waits)
        view->live_waits = find_live_waits(view);
    view->knows_waits = true;
    return view->live_waits;
}

static int64_t count_unseen(const mj_view *view, uint64_t kinds)
{
    int64_t sum = 0;
    for (; kinds != 0; kinds &= kinds - 1) {
        const unsigned kind = mj_lowest(kinds);
        const int unseen = view->program->copies[kind] - view->hand->seen[kind];
        sum += unseen > 0 ? unseen : 0;
    }
    return sum;
}

int64_t mj_hand_feature(mj_view *view, const mj_feature *feature)
{
    const mj_hand *hand = view->hand;
    const unsigned win = hand->win_tile;
    int64_t sum = 0;
    switch (feature->kind) {
    case MJ_F_TILES:
        return count_tiles(view, feature->tiles);
    case MJ_F_KINDS:
        return count_kinds(view, feature, false);
    case MJ_F_KINDS_UNKONGED:
        return count_kinds(view, feature, true);
    case MJ_F_SUITS:
        return count_suits(view, feature->types);
    case MJ_F_CONCEALED:
        for (unsigned kind = 0; kind < MJ_KINDS; kind++)
            sum += hand->concealed[kind];
        return sum;
    case MJ_F_MELDS:
        for (unsigned i = 0; i < hand->n_melds; i++)
            sum += mj_is_a(hand->melds[i], feature->types);
        return sum;
    case MJ_F_VOID_TILES:
        return hand->void_suit == MJ_NONE ? 0 : count_tiles(view, mj_suit_kinds(hand->void_suit));
    case MJ_F_WIN_TILE_IN:
        return win != MJ_NONE && (feature->tiles >> win & 1);
    case MJ_F_WIN_TILE_VOID:
        return win != MJ_NONE && hand->void_suit == mj_suit_of(win);
    case MJ_F_WIN_TILE_OWN:
        return win == MJ_NONE ? 0 : hand->concealed[win] - 1;
    case MJ_F_WIN_TILE_ALL:
        return win == MJ_NONE ? 0 : view->copies[win] - 1;
    case MJ_F_WAITS:
        return mj_size(live_waits(view));
    case MJ_F_WAITS_LEFT:
        return count_unseen(view, live_waits(view));
    default:
        return 0;
    }
}

/* ---- of a reading ------------------------------------------------------------- */

int64_t mj_count_groups(const mj_reading *reading, const mj_feature *feature)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < reading->n_groups; i++) {
        const mj_group group = reading->groups[i];
        if (!mj_is_a(group, feature->domain))
            continue;
        const uint64_t kinds = mj_kinds_of(group);
        const bool in_tiles = feature->low == 0 ? (kinds & ~feature->tiles) == 0
                                                : (kinds & feature->tiles) != 0;
        sum += in_tiles || mj_is_a(group, feature->types);
    }
    return sum;
}

unsigned mj_types_like(unsigned type)
{
    switch (type) {
    case MJ_RUN: return MJ_RUNS;
    case MJ_TRIPLET: return MJ_TRIPLETS;
    case MJ_DIRECT_KONG: return MJ_KONGS;
    default: return MJ_PAIRS;
    }
}

/* Whether each group of the example is there by a group of its own.  Taking the first that
 * serves is right: only a kong can serve two of the example's groups, and kongs are asked
 * for first. */
static bool covers(const mj_reading *reading, unsigned domain, const mj_example *example)
{
    unsigned used = 0;
    for (unsigned i = 0; i < example->n_groups; i++) {
        const mj_group wanted = example->groups[i];
        const unsigned types = mj_types_like(wanted.type) & domain;
        unsigned g = 0;
        while (g < reading->n_groups
               && (used >> g & 1 || reading->groups[g].tile != wanted.tile
                   || !mj_is_a(reading->groups[g], types)))
            g++;
        if (g == reading->n_groups)
            return false;
        used |= 1u << g;
    }
    return true;
}

bool mj_has_pattern(const mj_program *program, const mj_reading *reading, const mj_feature *feature)
{
    uint64_t runs = 0, triplets = 0, kongs = 0, pairs = 0;
    for (unsigned i = 0; i < reading->n_groups; i++) {
        const mj_group group = reading->groups[i];
        if (!mj_is_a(group, feature->domain))
            continue;
        const uint64_t tile = mj_bit(group.tile);
        runs |= mj_is_a(group, MJ_RUNS) ? tile : 0;
        triplets |= mj_is_a(group, MJ_TRIPLETS) ? tile : 0;
        kongs |= mj_is_a(group, MJ_KONGS) ? tile : 0;
        pairs |= mj_is_a(group, MJ_PAIRS) ? tile : 0;
    }
    const mj_example *end = program->examples + program->pattern_first[feature->low + 1];
    for (const mj_example *e = program->examples + program->pattern_first[feature->low]; e < end; e++) {
        const uint64_t missing = (e->runs & ~runs) | (e->triplets & ~triplets) | (e->kongs & ~kongs)
                                 | (e->pairs & ~pairs);
        if (missing == 0 && covers(reading, feature->domain, e))
            return true;
    }
    return false;
}

int64_t mj_reading_feature(const mj_view *view, const mj_feature *feature, const mj_reading *reading)
{
    switch (feature->kind) {
    case MJ_F_SHAPE:
        return reading->shape;
    case MJ_F_WAIT:
        return reading->wait;
    case MJ_F_GROUPS:
        return mj_count_groups(reading, feature);
    case MJ_F_PATTERN:
        return mj_has_pattern(view->program, reading, feature);
    default:
        return 0;
    }
}
