/* The hands of a block as columns, and what a program sees of them.
 *
 * Only what is a hand for certain is judged in columns.  Any other row is left to batch.c, which finds what is wrong
 * with it; so nothing here needs to say what.
 */
#include "columns.h"
#include "look.h"

/* ---- tiles ------------------------------------------------------------------------------ */

/* The digits of a number as copies, from the last of these kinds to the first; what is left over comes back.  By numbers
 * with a point, which is exact (packed.h), since there are wide registers for them. */
MJ_ALWAYS_INLINE void take_digits(const uint32_t *index, uint8_t (*copies)[MJ_BLOCK], unsigned kinds, uint8_t *good)
{
    int32_t rest[MJ_BLOCK];
    for (unsigned i = 0; i < MJ_BLOCK; i++)
        rest[i] = (int32_t)index[i];
    for (unsigned kind = kinds; kind-- > 0;) {
        uint8_t *to = copies[kind];
        for (unsigned i = 0; i < MJ_BLOCK; i++) {
            const int32_t fifth = (int32_t)(((float)rest[i] + 0.5f) * 0.2f);
            to[i] = (uint8_t)(rest[i] - 5 * fifth);
            rest[i] = fifth;
        }
    }
    for (unsigned i = 0; i < MJ_BLOCK; i++)
        good[i] &= rest[i] == 0;
}

MJ_ALWAYS_INLINE void take_tiles(const mj_asked *asked, mj_hand_columns *hands)
{
    for (unsigned i = 0; i < MJ_BLOCK; i++)
        hands->good[i] = asked->words[i] >> 3 * MJ_SUIT_BITS == 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        for (unsigned i = 0; i < MJ_BLOCK; i++)
            hands->index[suit][i] = mj_index_of(asked->words[i], suit);
        take_digits(hands->index[suit], hands->concealed + suit * MJ_RANKS, MJ_RANKS, hands->good);
    }
    if (asked->kinds > MJ_NUMBER_KINDS)
        take_digits(asked->honours, hands->concealed + MJ_NUMBER_KINDS, MJ_HONOUR_KINDS, hands->good);
    else
        memset(hands->concealed[MJ_NUMBER_KINDS], 0, MJ_HONOUR_KINDS * sizeof hands->concealed[0]);
}

/* ---- melds --------------------------------------------------------------------------------- */

static bool take_melds(uint32_t word, unsigned i, mj_hand_columns *hands)
{
    for (unsigned n = 0; word != 0; word >>= 8) {
        mj_group *meld = &hands->melds[i][n];
        if (!mj_meld_of_code(word & 255, meld))
            return false;
        for (unsigned k = 0; k < (meld->type == MJ_CHOW ? 3u : 1u); k++) {
            uint8_t *held = &hands->held[meld->tile + k][i];
            *held = (uint8_t)(*held + (meld->type == MJ_CHOW ? 1 : mj_is_a(*meld, MJ_KONGS) ? 4 : 3));
        }
        hands->konged[meld->tile][i] |= mj_is_a(*meld, MJ_KONGS);
        hands->n_melds[i] = (uint8_t)++n;
    }
    return true;
}

static void add_melds(const mj_asked *asked, mj_hand_columns *hands)
{
    memcpy(hands->held, hands->concealed, sizeof hands->held);
    memset(hands->n_melds, 0, sizeof hands->n_melds);
    hands->has_melds = asked->melds != NULL;
    if (!hands->has_melds)
        return;
    memset(hands->konged, 0, sizeof hands->konged);
    for (unsigned i = 0; i < asked->n; i++)
        if (asked->melds[i] != 0 && !take_melds(asked->melds[i], i, hands))
            hands->good[i] = 0;
}

/* ---- is it a hand? ---------------------------------------------------------------------------- */

/* As many tiles as a complete hand has, and of no kind more than there are. */
MJ_ALWAYS_INLINE void count_hands(const mj_program *program, mj_hand_columns *hands)
{
    uint8_t tiles[MJ_BLOCK], any[MJ_BLOCK] = {0};
    const unsigned wanted = program->hand_size + 1u;
    for (unsigned i = 0; i < MJ_BLOCK; i++)
        tiles[i] = (uint8_t)(3 * hands->n_melds[i]);
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const uint8_t most = program->copies[kind];
        const uint8_t *concealed = hands->concealed[kind], *held = hands->held[kind];
        for (unsigned i = 0; i < MJ_BLOCK; i++) {
            tiles[i] = (uint8_t)(tiles[i] + concealed[i]);
            any[i] |= concealed[i];
            hands->good[i] &= held[i] <= most;
        }
    }
    for (unsigned i = 0; i < MJ_BLOCK; i++) {
        hands->good[i] &= tiles[i] == wanted;
        hands->odd[i] = any[i] & 1;
    }
}

/* The winning tile must be held, and what else is told must be something. */
static void check_win(const mj_asked *asked, mj_hand_columns *hands)
{
    for (unsigned i = 0; i < asked->n; i++) {
        const unsigned win = asked->win[i], suit = asked->voids[i];
        hands->own[i] = win < MJ_KINDS ? hands->concealed[win][i] : 0;
        const bool is_situation = asked->by[i] <= MJ_BY_ROBBED_KONG && asked->flags[i] < MJ_FLAG_VALUES;
        hands->good[i] &= is_situation && (win == MJ_NONE || hands->own[i] > 0)
                          && (suit < MJ_HONOURS || suit == MJ_NONE);
        hands->situation[i] = (uint16_t)(is_situation ? mj_situation(asked->by[i], asked->flags[i]) : 0);
    }
}

MJ_ALWAYS_INLINE void read_hands(const mj_program *program, const mj_asked *asked, mj_hand_columns *hands)
{
    take_tiles(asked, hands);
    add_melds(asked, hands);
    count_hands(program, hands);
    check_win(asked, hands);
}

/* ---- features ------------------------------------------------------------------------------------ */

bool mj_is_columnar(unsigned feature_kind)
{
    return feature_kind != MJ_F_WAITS && feature_kind != MJ_F_WAITS_LEFT;
}

MJ_ALWAYS_INLINE void add_kinds(uint64_t kinds, const uint8_t (*copies)[MJ_BLOCK], uint8_t *values)
{
    for (; kinds != 0; kinds &= kinds - 1) {
        const uint8_t *own = copies[mj_lowest(kinds)];
        for (unsigned i = 0; i < MJ_BLOCK; i++)
            values[i] = (uint8_t)(values[i] + own[i]);
    }
}

/* Kinds that are held so many times.  With `unkonged` a kind that is a kong counts as one that stands with none, and no
 * other kind does. */
MJ_ALWAYS_INLINE void count_kinds(const mj_feature *feature, const mj_hand_columns *hands, bool unkonged,
                                  uint8_t *values)
{
    const uint8_t low = feature->low > 1 ? feature->low : 1, high = feature->high;
    for (uint64_t kinds = feature->tiles; kinds != 0; kinds &= kinds - 1) {
        const uint8_t *held = hands->held[mj_lowest(kinds)], *konged = hands->konged[mj_lowest(kinds)];
        for (unsigned i = 0; !unkonged && i < MJ_BLOCK; i++)
            values[i] = (uint8_t)(values[i] + ((held[i] >= low) & (held[i] <= high)));
        for (unsigned i = 0; unkonged && i < MJ_BLOCK; i++)
            values[i] = (uint8_t)(values[i] + (konged[i] ? feature->low == 0 : (held[i] >= low) & (held[i] <= high)));
    }
}

MJ_ALWAYS_INLINE void count_suits(unsigned suits, const mj_hand_columns *hands, uint8_t *values)
{
    for (; suits != 0; suits &= suits - 1) {
        uint8_t any[MJ_BLOCK] = {0};
        add_kinds(mj_suit_kinds(mj_lowest(suits)), hands->held, any);
        for (unsigned i = 0; i < MJ_BLOCK; i++)
            values[i] = (uint8_t)(values[i] + (any[i] > 0));
    }
}

MJ_ALWAYS_INLINE void count_void(const uint8_t *voids, unsigned n, const mj_hand_columns *hands, uint8_t *values)
{
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        uint8_t tiles[MJ_BLOCK] = {0};
        add_kinds(mj_suit_kinds(suit), hands->held, tiles);
        for (unsigned i = 0; i < n; i++)
            values[i] = voids[i] == suit ? tiles[i] : values[i];
    }
}

/* What is asked of the winning tile; of the others what only few hands have. */
static unsigned hand_value(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands, unsigned i)
{
    const unsigned win = asked->win[i];
    unsigned sum = 0;
    switch (feature->kind) {
    case MJ_F_MELDS:
        for (unsigned k = 0; k < hands->n_melds[i]; k++)
            sum += mj_is_a(hands->melds[i][k], feature->types);
        return sum;
    case MJ_F_WIN_TILE_IN:
        return win < MJ_KINDS && (feature->tiles >> win & 1);
    case MJ_F_WIN_TILE_VOID:
        return win < MJ_KINDS && asked->voids[i] == mj_suit_of(win);
    case MJ_F_WIN_TILE_OWN:
        return hands->own[i] > 0 ? hands->own[i] - 1u : 0;
    case MJ_F_WIN_TILE_ALL:
        return hands->own[i] > 0 ? hands->held[win][i] - 1u : 0;
    default:
        return 0;
    }
}

MJ_ALWAYS_INLINE void look_at_hands(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands,
                                    uint8_t *values)
{
    memset(values, 0, MJ_BLOCK);
    switch (feature->kind) {
    case MJ_F_TILES: add_kinds(feature->tiles, hands->held, values); break;
    case MJ_F_KINDS: count_kinds(feature, hands, false, values); break;
    case MJ_F_KINDS_UNKONGED: count_kinds(feature, hands, hands->has_melds, values); break;
    case MJ_F_SUITS: count_suits(feature->types, hands, values); break;
    case MJ_F_CONCEALED: add_kinds(MJ_ALL_KINDS, hands->concealed, values); break;
    case MJ_F_VOID_TILES: count_void(asked->voids, asked->n, hands, values); break;
    default:
        for (unsigned i = 0; i < asked->n; i++)
            values[i] = (uint8_t)hand_value(feature, asked, hands, i);
    }
}

/* ---- for each width of registers -------------------------------------------------------------------- */

static void read_portable(const mj_program *program, const mj_asked *asked, mj_hand_columns *hands)
{
    read_hands(program, asked, hands);
}

static void look_portable(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands,
                          uint8_t *values)
{
    look_at_hands(feature, asked, hands, values);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static void read_avx2(const mj_program *program, const mj_asked *asked, mj_hand_columns *hands)
{
    read_hands(program, asked, hands);
}

MJ_FOR_AVX512 static void read_avx512(const mj_program *program, const mj_asked *asked, mj_hand_columns *hands)
{
    read_hands(program, asked, hands);
}

MJ_FOR_AVX2 static void look_avx2(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands,
                                  uint8_t *values)
{
    look_at_hands(feature, asked, hands, values);
}

MJ_FOR_AVX512 static void look_avx512(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands,
                                      uint8_t *values)
{
    look_at_hands(feature, asked, hands, values);
}
#else
#define read_avx2 read_portable
#define read_avx512 read_portable
#define look_avx2 look_portable
#define look_avx512 look_portable
#endif

void mj_read_hands(const mj_program *program, const mj_asked *asked, mj_width width, mj_hand_columns *hands)
{
    if (width == MJ_AVX512)
        read_avx512(program, asked, hands);
    else if (width == MJ_AVX2)
        read_avx2(program, asked, hands);
    else
        read_portable(program, asked, hands);
}

void mj_look_at_hands(const mj_feature *feature, const mj_asked *asked, const mj_hand_columns *hands, mj_width width,
                      uint8_t *values)
{
    if (width == MJ_AVX512)
        look_avx512(feature, asked, hands, values);
    else if (width == MJ_AVX2)
        look_avx2(feature, asked, hands, values);
    else
        look_portable(feature, asked, hands, values);
}
