/* Hands dealt and played out.
 *
 * The wall, the dealer and the direction of the swap come from the seed before anything else is drawn by
 * lot, so that two rule sets can be compared on the same walls.
 */
#include <string.h>

#include "play.h"

/* ---- chance ------------------------------------------------------------------------ */

typedef struct lot { uint64_t state; } lot;

/* splitmix64 */
static uint64_t draw_lot(lot *l)
{
    uint64_t z = l->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(lot *l, unsigned n)
{
    return (unsigned)((draw_lot(l) >> 32) * n >> 32);
}

static void deal(const mj_book *book, lot *l, mj_table *t)
{
    uint8_t *wall = t->wall;
    const unsigned n = book->n_tiles;
    memcpy(wall, book->tiles, n);
    for (unsigned i = n; i > 1; i--) {
        const unsigned j = below(l, i);
        const uint8_t tile = wall[i - 1];
        wall[i - 1] = wall[j];
        wall[j] = tile;
    }
    const unsigned dealer = below(l, book->spec.players);
    const unsigned direction = book->spec.directions[(draw_lot(l) >> 32) % book->spec.n_directions];
    mj_deal(book, n, dealer, direction, t);
}

/* ---- policies ------------------------------------------------------------------------ */

static unsigned random_member(lot *l, uint64_t set)
{
    for (unsigned passed = below(l, mj_count(set)); passed > 0; passed--)
        set &= set - 1;
    return mj_lowest(set);
}

static unsigned random_move(lot *l, const uint64_t *moves)
{
    if (!(moves[1] | moves[2] | moves[3]))
        return random_member(l, moves[0]);
    unsigned counts[MJ_MOVE_WORDS], n = 0, word = 0;
    for (unsigned i = 0; i < MJ_MOVE_WORDS; i++)
        n += counts[i] = mj_count(moves[i]);
    unsigned chosen = below(l, n);
    while (chosen >= counts[word])
        chosen -= counts[word++];
    uint64_t rest = moves[word];
    while (chosen-- > 0)
        rest &= rest - 1;
    return 64 * word + mj_lowest(rest);
}

static bool may(const uint64_t *moves, unsigned move)
{
    return moves[move / 64] >> move % 64 & 1;
}

/* How many tiles have to do with a kind: itself and its neighbours. */
static unsigned company(const mj_place *seat, unsigned kind)
{
    const unsigned alike = 4u * seat->tiles[kind];
    if (kind >= MJ_NUMBER_KINDS)
        return alike;
    const unsigned suit = kind / MJ_RANKS * MJ_RANKS, rank = kind - suit;
    /* The suit with two empty places on either side: bits 0 to 4 are two below up to two above. */
    const unsigned near = (unsigned)((seat->held[0] >> suit & 0x1ff) << 2 >> rank);
    return alike + (near & 1) + (near & 2) + (near >> 2 & 2) + (near >> 4 & 1);
}

static uint64_t discards_of(const uint64_t *moves)
{
    return moves[0] & MJ_ALL_KINDS;
}

enum { LEVELS = 5 };

/* Kinds in the order in which they would be given away: alone, with one two ranks off, with a neighbour,
 * pairs, and the rest. */
static void by_use(const mj_place *seat, uint64_t kinds, uint64_t levels[LEVELS])
{
    const uint64_t first = mj_bit(0) | mj_bit(MJ_RANKS) | mj_bit(2 * MJ_RANKS);
    const uint64_t numbers = mj_bit(MJ_NUMBER_KINDS) - 1, held = seat->held[0] & numbers;
    const uint64_t below = held << 1 & numbers & ~first, above = held >> 1 & ~(first << 8);
    const uint64_t far_below = held << 2 & numbers & ~(first | first << 1);
    const uint64_t far_above = held >> 2 & ~(first << 7 | first << 8);
    const uint64_t single = kinds & ~seat->held[1], next = below | above, far = far_below | far_above;
    levels[0] = single & ~next & ~far;
    levels[1] = single & ~next & far;
    levels[2] = single & next;
    levels[3] = kinds & seat->held[1] & ~seat->held[2];
    levels[4] = kinds & seat->held[2];
}

/* The discard after which the hand lacks least; of several the one of least use.  No discard makes a hand
 * lack less, so the first after which it lacks no more is the best. */
static unsigned best_discard(const mj_book *book, mj_place *seat, uint64_t kinds, unsigned *lacks)
{
    uint64_t levels[LEVELS];
    by_use(seat, kinds, levels);
    const unsigned whole = mj_lacking(book, seat);
    unsigned best = MJ_NONE, least = 2 * MJ_FAR;
    for (unsigned level = 0; level < LEVELS; level++)
        for (uint64_t rest = levels[level]; rest != 0; rest &= rest - 1) {
            const unsigned kind = mj_lowest(rest);
            const unsigned lacking = mj_lacking_without(book, seat, kind);
            if (lacking >= least)
                continue;
            best = kind;
            *lacks = least = lacking;
            if (least <= whole)
                return best;
        }
    *lacks = least;
    return best;
}

/* What a hand lacks when so many tiles of a kind have become a meld. */
static unsigned lacks_after(const mj_book *book, const mj_place *seat, unsigned kind, unsigned taken, bool discards)
{
    mj_place tried = *seat;
    for (unsigned i = 0; i < taken; i++)
        mj_take(book, &tried, kind);
    tried.n_melds += 1;
    unsigned lacks = mj_lacking(book, &tried);
    if (discards)
        best_discard(book, &tried, tried.held[0], &lacks);
    return lacks;
}

static unsigned greedy_turn(const mj_book *book, mj_table *t, mj_place *seat, const uint64_t *moves)
{
    if (may(moves, MJ_M_WIN))
        return MJ_M_WIN;
    const uint64_t kinds = discards_of(moves);
    unsigned lacks = 2 * MJ_FAR;
    const unsigned discard = kinds ? best_discard(book, seat, kinds, &lacks) : MJ_NONE;
    const bool kongs = (moves[0] & ~MJ_ALL_KINDS) != 0 || (moves[1] & ((UINT64_C(1) << (MJ_M_WIN - 64)) - 1)) != 0;
    for (unsigned kind = 0; kongs && kind < MJ_KINDS; kind++) {
        if (seat->held[3] >> kind & 1 && may(moves, MJ_M_CONCEALED_KONG + kind)
            && lacks_after(book, seat, kind, 4, false) <= lacks)
            return MJ_M_CONCEALED_KONG + kind;
        if (seat->melded & seat->held[0] && may(moves, MJ_M_ADDED_KONG + kind)) {
            mj_take(book, seat, kind);
            const unsigned after = mj_lacking(book, seat);
            mj_give(book, seat, kind);
            if (after <= lacks)
                return MJ_M_ADDED_KONG + kind;
        }
    }
    (void)t;
    if (discard != MJ_NONE)
        return discard;
    for (unsigned move = MJ_M_CONCEALED_KONG; move < MJ_M_WIN; move++)
        if (may(moves, move))
            return move;
    return MJ_M_PASS;
}

static unsigned greedy_claim(const mj_book *book, const mj_table *t, const mj_place *seat, const uint64_t *moves)
{
    if (may(moves, MJ_M_WIN))
        return MJ_M_WIN;
    const unsigned lacks = mj_lacking(book, seat);
    if (may(moves, MJ_M_DIRECT_KONG) && lacks_after(book, seat, t->tile, 3, false) <= lacks)
        return MJ_M_DIRECT_KONG;
    if (may(moves, MJ_M_PUNG) && lacks_after(book, seat, t->tile, 2, true) < lacks)
        return MJ_M_PUNG;
    for (unsigned place = 0; place < 3; place++) {
        if (!may(moves, MJ_M_CHOW + place))
            continue;
        mj_place tried = *seat;
        for (unsigned k = 0; k < 3; k++)
            if (k != place)
                mj_take(book, &tried, t->tile - place + k);
        tried.n_melds += 1;
        unsigned after;
        best_discard(book, &tried, tried.held[0], &after);
        if (after < lacks)
            return MJ_M_CHOW + place;
    }
    if (may(moves, MJ_M_PASS))
        return MJ_M_PASS;
    for (unsigned move = MJ_M_WIN; move < MJ_M_SWAP; move++)
        if (may(moves, move))
            return move;
    return MJ_M_PASS;
}

/* Tiles of the smallest suit that has enough go; of these the one of least use. */
static unsigned greedy_swap(const mj_place *seat, const uint64_t *moves)
{
    const uint64_t kinds = (moves[1] >> (MJ_M_SWAP - 64) | moves[2] << (128 - MJ_M_SWAP)) & MJ_ALL_KINDS;
    uint64_t of_smallest = 0;
    unsigned smallest = 1000, best = 0, least = 1000;
    for (unsigned suit = 0; suit < MJ_SUITS; suit++) {
        const uint64_t here = kinds & mj_suit_kinds(suit);
        const unsigned size = suit < MJ_HONOURS ? mj_suit_size(seat, suit) : 0;
        if (here == 0 || size > smallest)
            continue;
        of_smallest = size < smallest ? here : of_smallest | here;
        smallest = size;
    }
    for (uint64_t rest = of_smallest; rest != 0; rest &= rest - 1) {
        const unsigned use = company(seat, mj_lowest(rest));
        best = use < least ? mj_lowest(rest) : best;
        least = use < least ? use : least;
    }
    return MJ_M_SWAP + best;
}

static unsigned greedy_void(const mj_place *seat, const uint64_t *moves)
{
    unsigned best = 0, least = 1000;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
        if (may(moves, MJ_M_VOID + suit) && mj_suit_size(seat, suit) < least) {
            least = mj_suit_size(seat, suit);
            best = suit;
        }
    return MJ_M_VOID + best;
}

static unsigned greedy_move(const mj_book *book, mj_table *t, unsigned number, const uint64_t *moves)
{
    mj_place *seat = &t->seats[number];
    switch (t->phase) {
    case MJ_P_SWAP: return greedy_swap(seat, moves);
    case MJ_P_VOID: return greedy_void(seat, moves);
    case MJ_P_DECLARE: return MJ_M_DECLARE;
    case MJ_P_CLAIM: return greedy_claim(book, t, seat, moves);
    default: return greedy_turn(book, t, seat, moves);
    }
}

/* ---- hands -------------------------------------------------------------------------------- */

static mj_status play_out(const mj_book *book, mj_policy policy, lot *l, mj_table *t)
{
    uint64_t moves[MJ_MOVE_WORDS];
    for (unsigned turns = 0; t->phase != MJ_P_OVER && turns < 10000; turns++) {
        if (t->phase == MJ_P_DRAW) {
            mj_draw(book, t);
            continue;
        }
        const bool turn = t->phase == MJ_P_TURN;
        const unsigned seat = turn ? t->actor : mj_lowest(t->waiting);
        mj_status status = turn ? mj_turn_moves(book, t, moves) : mj_legal(book, t, seat, moves);
        if (status != MJ_OK)
            return status;
        const unsigned move = policy == MJ_GREEDY ? greedy_move(book, t, seat, moves) : random_move(l, moves);
        status = mj_apply(book, t, seat, move);
        if (status != MJ_OK)
            return status;
    }
    return t->phase == MJ_P_OVER ? MJ_OK : MJ_NO_MOVE;
}

static void sum_up(const mj_table *t, const mj_settlement *settled, mj_played *played)
{
    memset(played, 0, sizeof *played);
    memcpy(played->deltas, settled->deltas, sizeof played->deltas);
    played->n_moves = (uint16_t)t->n_log;
    played->dealer = t->dealer;
    played->next_dealer = settled->next_dealer;
    for (uint32_t i = 0; i < t->n_events; i++) {
        const mj_event *event = &t->events[i];
        played->self_draws += event->kind == MJ_E_SELF_DRAW;
        played->kongs += event->kind <= MJ_E_ADDED_KONG;
        for (unsigned s = 0; s < MJ_SEATS; s++)
            played->wins[s] += event->winners >> s & 1;
    }
    played->fans = t->fans;
    played->is_drawn = t->is_drawn;
    played->first_winners = t->first_winners;
    played->won = t->won;
    played->left = (uint8_t)mj_left(t);
}

mj_status mj_simulate(const mj_book *given, const mj_known *known, mj_policy policy, uint64_t seed, uint64_t n,
                      mj_played *played, mj_table *finished, mj_posting *postings, uint32_t capacity)
{
    if (given == NULL || played == NULL || postings == NULL || policy >= MJ_POLICIES)
        return MJ_BAD_ARGUMENT;
    if (known != NULL && ((known->folds != NULL && known->facts == NULL)
                          || (known->wait_folds != NULL && known->wait_facts == NULL)))
        return MJ_BAD_ARGUMENT;
    mj_book with_tables = *given;
    const mj_book *book = &with_tables;
    if (known != NULL)
        with_tables.known = *known;
    mj_table own;
    for (uint64_t i = 0; i < n; i++) {
        mj_table *t = finished != NULL ? &finished[i] : &own;
        lot mix = {seed + i};
        lot l = {draw_lot(&mix)};
        mj_settlement settled;
        deal(book, &l, t);
        mj_status status = play_out(book, policy, &l, t);
        if (status == MJ_OK)
            status = mj_table_settle(book, t, postings, capacity, &settled);
        if (status != MJ_OK)
            return status;
        sum_up(t, &settled, &played[i]);
    }
    return MJ_OK;
}
