/* Tables from outside: dealt, and looked at before anything in them is believed. */
#include <stddef.h>
#include <string.h>

#include "play.h"

/* ---- from outside ---------------------------------------------------------------------------- */

mj_status mj_table_deal(const mj_book *book, const uint8_t *wall, uint32_t n, uint32_t dealer, uint32_t direction,
                        mj_table *t)
{
    if (book == NULL || wall == NULL || t == NULL || dealer >= book->spec.players || direction < 1 || direction > 3)
        return MJ_BAD_ARGUMENT;
    unsigned copies[MJ_KINDS] = {0};
    unsigned tiles = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        tiles += book->program->copies[kind];
    if (n != tiles)
        return MJ_BAD_SIZE;
    for (uint32_t i = 0; i < n; i++)
        if (wall[i] >= MJ_KINDS || ++copies[wall[i]] > book->program->copies[wall[i]])
            return MJ_BAD_COUNT;
    memcpy(t->wall, wall, n);
    mj_deal(book, n, dealer, direction, t);
    return MJ_OK;
}

void mj_deal(const mj_book *book, unsigned n, unsigned dealer, unsigned direction, mj_table *t)
{
    memset(t, 0, offsetof(mj_table, wall));
    memset(&t->front, 0, offsetof(mj_table, events) - offsetof(mj_table, front));
    memset(t->wall + n, 0, MJ_MAX_WALL - n);
    const uint8_t *wall = t->wall;
    const unsigned players = book->spec.players, size = book->program->hand_size;
    unsigned at = 0;
    for (unsigned given = 0; given < size;) {
        const unsigned round = size - given < 4 ? size - given : 4;
        for (unsigned p = 0; p < players; p++)
            for (unsigned i = 0; i < round; i++)
                mj_add_tile(&t->seats[mj_seat_after(book, dealer, p)], wall[at++]);
        given += round;
    }
    mj_add_tile(&t->seats[dealer], wall[at++]);
    for (unsigned s = 0; s < MJ_SEATS; s++)
        for (unsigned suit = 0; suit < MJ_SUITS; suit++)
            mj_find_row(book, &t->seats[s], suit);
    t->front = (uint8_t)at;
    t->back = (uint8_t)(n - book->spec.horses);
    t->n_horses = book->spec.horses;
    for (unsigned i = 0; i < book->spec.horses; i++)
        t->horses[i] = wall[n - 1 - i];
    t->dealer = (uint8_t)dealer;
    t->direction = (uint8_t)(players == 2 ? 1 : direction == 3 ? players - 1 : direction);
    t->source = MJ_NONE;
    for (unsigned s = 0; s < MJ_SEATS; s++) {
        mj_place *seat = &t->seats[s];
        seat->void_suit = seat->drawn = seat->kong_feeder = MJ_NONE;
        seat->passed_fan = seat->passed_money = -1;
        seat->all_void = 1;
        memcpy(seat->stances, book->spec.defaults, sizeof seat->stances);
    }
    mj_open_step(book, t, 0);
}

/* ---- is this a table at all? -------------------------------------------------------------------- */

static bool is_place(const mj_book *book, const mj_place *seat)
{
    mj_place copy = {0};
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        if (seat->tiles[kind] > MJ_MAX_COPIES)
            return false;
        for (unsigned i = 0; i < seat->tiles[kind]; i++)
            mj_add_tile(&copy, kind);
    }
    for (unsigned suit = 0; suit < MJ_SUITS; suit++)
        mj_find_row(book, &copy, suit);
    if (memcmp(copy.held, seat->held, sizeof copy.held) != 0 || memcmp(copy.index, seat->index, sizeof copy.index) != 0
        || memcmp(copy.rows, seat->rows, sizeof copy.rows) != 0 || copy.twins != seat->twins)
        return false;
    if (seat->n_melds > MJ_MAX_MELDS || seat->n_given > 3 || seat->kong_kind > 3)
        return false;
    for (unsigned i = 0; i < seat->n_melds; i++) {
        const mj_group meld = seat->melds[i];
        if (meld.type >= MJ_GROUP_TYPES || meld.tile >= MJ_KINDS || !mj_is_a(meld, MJ_DECLARED)
            || (meld.type == MJ_CHOW && !mj_starts_run(meld.tile)))
            return false;
    }
    for (unsigned i = 0; i < seat->n_given; i++)
        if (seat->given[i] >= MJ_KINDS)
            return false;
    if (seat->void_suit >= MJ_HONOURS && seat->void_suit != MJ_NONE)
        return false;
    return seat->drawn == MJ_NONE || (seat->drawn < MJ_KINDS && seat->tiles[seat->drawn] > 0);
}

/* Whether everything that a seat may answer can be laid down. */
static bool can_answer(const mj_table *t, const mj_place *seat, const uint64_t *asked)
{
    const uint64_t bit = mj_bit(t->tile);
    const uint64_t known = UINT64_C(0x7f) << (MJ_M_WIN - 64);
    if (asked[0] & ~known || asked[1])
        return false;
    if (t->robbing && asked[0] >> (MJ_M_PUNG - 64) & 0x1f)
        return false;
    const bool meld = asked[0] >> (MJ_M_PUNG - 64) & 0x1f;
    if (meld && seat->n_melds >= MJ_MAX_MELDS)
        return false;
    if ((asked[0] >> (MJ_M_PUNG - 64) & 1 && !(seat->held[1] & bit))
        || (asked[0] >> (MJ_M_DIRECT_KONG - 64) & 1 && !((seat->held[2] & bit) && mj_left(t))))
        return false;
    return !(asked[0] >> (MJ_M_CHOW - 64) & 7 & ~(uint64_t)mj_chow_places(seat, t->tile));
}

static bool is_claim(const mj_book *book, const mj_table *t)
{
    if (t->source >= book->spec.players || t->tile >= MJ_KINDS || t->had >> t->source & 1 || t->waiting & ~t->had)
        return false;
    for (unsigned s = 0; s < book->spec.players; s++)
        if (t->had >> s & 1) {
            const unsigned answer = t->seats[s].answer;
            if (!can_answer(t, &t->seats[s], t->asked[s]))
                return false;
            if (!(t->waiting >> s & 1) && (answer < 64 || answer >= 128 || !(t->asked[s][0] >> (answer - 64) & 1)))
                return false;
        }
    return !t->robbing || mj_added_kongs(&t->seats[t->source]) >> t->tile & 1;
}

static bool is_table(const mj_book *book, const mj_table *t)
{
    const unsigned players = book->spec.players;
    if (t->phase > MJ_P_OVER || t->actor >= players || t->dealer >= players || t->direction < 1 || t->direction > 3)
        return false;
    if (t->front > t->back || t->back > MJ_MAX_WALL || t->n_events > MJ_MAX_EVENTS || t->n_log > MJ_MAX_LOG
        || t->n_horses > MJ_MAX_HORSES || (t->waiting | t->had | t->won) >> players)
        return false;
    if (t->phase <= MJ_P_DECLARE && (t->step >= book->spec.n_steps || !t->waiting))
        return false;
    if (t->phase == MJ_P_DECLARE && book->spec.steps[t->step] < 2)
        return false;
    if (t->phase == MJ_P_DRAW && t->front == t->back)
        return false;
    if (t->phase != MJ_P_OVER && mj_playing(book, t) < 1)
        return false;
    for (unsigned i = t->front; i < t->back; i++)
        if (t->wall[i] >= MJ_KINDS)
            return false;
    for (unsigned i = 0; i < t->n_horses; i++)
        if (t->horses[i] >= MJ_KINDS)
            return false;
    for (unsigned s = 0; s < players; s++) {
        const mj_place *seat = &t->seats[s];
        if (!is_place(book, seat) || (t->phase == MJ_P_SWAP && (t->waiting >> s & 1) == (seat->n_given == 3)))
            return false;
        if (t->phase == MJ_P_SWAP && mj_concealed(seat) + seat->n_given < 3)
            return false;
    }
    if (t->phase == MJ_P_CLAIM)
        return is_claim(book, t);
    return t->phase <= MJ_P_DECLARE || t->phase == MJ_P_OVER || t->source == MJ_NONE;
}

mj_status mj_table_legal(const mj_book *book, const mj_table *table, uint32_t seat, uint64_t *moves)
{
    if (book == NULL || table == NULL || moves == NULL || seat >= book->spec.players)
        return MJ_BAD_ARGUMENT;
    if (!is_table(book, table))
        return MJ_BAD_STATE;
    mj_table copy = *table;
    return mj_legal(book, &copy, seat, moves);
}

static bool has_move(const uint64_t *moves, unsigned move)
{
    return move < MJ_MOVES && moves[move / 64] >> move % 64 & 1;
}

mj_status mj_table_apply(const mj_book *book, mj_table *table, uint32_t seat, uint32_t move)
{
    uint64_t moves[MJ_MOVE_WORDS];
    if (book == NULL || table == NULL || seat >= book->spec.players)
        return MJ_BAD_ARGUMENT;
    if (!is_table(book, table))
        return MJ_BAD_STATE;
    mj_table after = *table;
    const mj_status status = mj_legal(book, &after, seat, moves);
    if (status != MJ_OK)
        return status;
    if (!has_move(moves, move))
        return MJ_BAD_ARGUMENT;
    const mj_status done = mj_apply(book, &after, seat, move);
    if (done == MJ_OK)
        *table = after;
    return done;
}
