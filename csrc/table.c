/* A hand under way: what may be done, and what a move does.
 *
 * engine/play.py is the meaning of all this.  The tiles say first what is possible at all, with sets of
 * kinds; the rule file is asked only about that.
 */
#include <string.h>

#include "play.h"

enum { MANY_TILES = 1000 };   /* as settlement has it: the wall is not empty before the hand is drawn */

/* ---- tiles -------------------------------------------------------------------------- */

unsigned mj_left(const mj_table *t)
{
    return (unsigned)(t->back - t->front);
}

static unsigned concealed(const mj_place *seat)
{
    unsigned n = 0;
    for (uint64_t rest = seat->held[0]; rest != 0; rest &= rest - 1)
        n += seat->tiles[mj_lowest(rest)];
    return n;
}

void mj_as_hand(const mj_table *t, unsigned number, unsigned extra, mj_hand *hand)
{
    const mj_place *seat = &t->seats[number];
    memcpy(hand->concealed, seat->tiles, sizeof hand->concealed);
    if (extra != MJ_NONE)
        hand->concealed[extra] += 1;
    memcpy(hand->seen, t->shown, sizeof hand->seen);
    memcpy(hand->melds, seat->melds, sizeof hand->melds);
    hand->n_melds = seat->n_melds;
    hand->win_tile = (uint8_t)extra;
    hand->void_suit = seat->void_suit;
    hand->claimed = 0;
}

/* ---- waits -------------------------------------------------------------------------- */

static uint64_t exact_waits(const mj_book *book, const mj_table *t, unsigned number)
{
    mj_hand hand;
    memset(&hand, 0, sizeof hand);
    mj_as_hand(t, number, MJ_NONE, &hand);
    return mj_completing_kinds(book->tables, book->program, &hand);
}

/* Kinds worth trying: those alike, and those that two others make a run with. */
static uint64_t near(const mj_book *book, const mj_place *seat)
{
    const uint64_t ones = mj_bit(0) | mj_bit(MJ_RANKS) | mj_bit(2 * MJ_RANKS);
    const uint64_t starts = ones * 0x7f;
    const uint64_t held = seat->held[0], second = held >> 1, third = held >> 2;
    return book->all_kinds & ~seat->held[3]
        & (held | (second & third & starts) | (held & third & starts) << 1 | (held & second & starts) << 2);
}

/* The kinds with which a hand of hand_size tiles is complete.  A fifth copy is none that can come. */
static uint64_t find_waits(const mj_book *book, mj_table *t, unsigned number)
{
    mj_place *seat = &t->seats[number];
    if (mj_lacking(book, seat) > 1)
        return 0;
    if (!book->plain)
        return exact_waits(book, t, number) & ~seat->held[3];
    uint64_t waits = 0;
    for (uint64_t rest = near(book, seat); rest != 0; rest &= rest - 1) {
        const unsigned kind = mj_lowest(rest);
        mj_give(seat, kind);
        waits |= mj_lacking(book, seat) == 0 ? mj_bit(kind) : 0;
        mj_take(seat, kind);
    }
    return waits;
}

uint64_t mj_waits_of(const mj_book *book, mj_table *t, unsigned number)
{
    mj_place *seat = &t->seats[number];
    if (!seat->waits_known) {
        seat->waits = find_waits(book, t, number);
        seat->waits_known = 1;
    }
    return seat->waits;
}

/* Kinds of `kongs` whose kong would change what the hand waits for. */
static uint64_t changing_kongs(const mj_book *book, mj_table *t, unsigned number, unsigned act, uint64_t kongs)
{
    mj_place *seat = &t->seats[number];
    if (act != MJ_A_DIRECT_KONG && seat->drawn == MJ_NONE)
        return kongs;
    mj_place before = *seat;
    if (act != MJ_A_DIRECT_KONG)
        mj_take(seat, seat->drawn);
    const uint64_t was = exact_waits(book, t, number);
    *seat = before;
    uint64_t changing = 0;
    for (uint64_t rest = kongs; rest != 0; rest &= rest - 1) {
        const unsigned kind = mj_lowest(rest);
        const unsigned taken = act == MJ_A_CONCEALED_KONG ? 4 : act == MJ_A_ADDED_KONG ? 1 : 3;
        for (unsigned i = 0; i < taken; i++)
            mj_take(seat, kind);
        unsigned place = seat->n_melds;
        for (unsigned i = 0; i < seat->n_melds; i++)
            if (seat->melds[i].type != MJ_CHOW && seat->melds[i].tile == kind)
                place = i;
        if (place < MJ_MAX_MELDS) {
            seat->melds[place] = (mj_group){MJ_CONCEALED_KONG, (uint8_t)kind};
            seat->n_melds = (uint8_t)(place == seat->n_melds ? place + 1 : seat->n_melds);
        }
        changing |= exact_waits(book, t, number) != was ? mj_bit(kind) : 0;
        *seat = before;
    }
    return changing;
}

/* ---- wins --------------------------------------------------------------------------- */

static unsigned flags_of(const mj_table *t, unsigned kind, unsigned number)
{
    unsigned flags = 0;
    if (kind == MJ_E_ROBBED_KONG)
        return 0;
    if (t->chain > 0)
        flags |= MJ_FLAG_AFTER_KONG | (t->chain > 1 ? MJ_FLAG_KONG_CHAIN : 0);
    if (mj_left(t) == 0)
        flags |= MJ_FLAG_LAST_TILE;
    if (!t->claimed_any) {
        const mj_place *seat = &t->seats[number];
        if (kind == MJ_E_SELF_DRAW && seat->draws == (number == t->dealer ? 0 : 1))
            flags |= MJ_FLAG_FIRST_TURN;
        if (kind == MJ_E_DISCARD_WIN && t->source == t->dealer && t->seats[t->source].n_discards == 1)
            flags |= MJ_FLAG_FIRST_TURN;
    }
    return flags;
}

static void win_asker(const mj_book *book, const mj_table *t, unsigned number, mj_asker *q)
{
    q->book = book;
    q->table = t;
    q->seat = number;
    q->act = MJ_ACTS;
    const bool own = t->source == MJ_NONE || t->source == number;
    q->source = own ? MJ_NONE : t->source;
    q->event = own ? MJ_E_SELF_DRAW : t->robbing ? MJ_E_ROBBED_KONG : MJ_E_DISCARD_WIN;
    q->flags = flags_of(t, q->event, number);
    q->winners = 1u << number;
    q->win_tile = own ? MJ_NONE : t->tile;
    q->left = MANY_TILES;
    q->changing = 0;
    q->judging = true;
    q->alone = false;
    q->result = NULL;
}

bool mj_judge(mj_asker *q, mj_hand *hand, mj_result *result)
{
    const mj_book *book = q->book;
    const mj_book_spec *spec = &book->spec;
    mj_ask_code(q, q->alone ? &spec->static_scoring : &spec->scoring);
    const unsigned n = q->alone ? spec->n_static_facts : spec->n_facts;
    const uint16_t *places = q->alone ? spec->static_facts : spec->facts;
    for (unsigned i = 0; i < n; i++)
        hand->facts[i] = (int32_t)q->numbers[places[i]];
    hand->claimed = q->event != MJ_E_SELF_DRAW;
    const mj_program *program = q->alone ? book->static_program : book->program;
    return mj_score(book->tables, program, hand, result) == MJ_OK && result->win;
}

static bool is_better(const mj_result *a, const mj_result *b)
{
    if (a->money != b->money)
        return a->money > b->money;
    for (unsigned i = 0; i < MJ_UNITS; i++)
        if (a->totals[i] != b->totals[i])
            return a->totals[i] > b->totals[i];
    return false;
}

/* The best win of a seat now, with the asker's winners; false where there is none.  The winning tile is
 * left in the asker. */
static bool best_win(const mj_book *book, mj_table *t, mj_asker *q, mj_result *result)
{
    const mj_place *seat = &t->seats[q->seat];
    mj_hand hand;
    if (q->event != MJ_E_SELF_DRAW) {
        if (!(mj_waits_of(book, t, q->seat) >> t->tile & 1))
            return false;
        mj_as_hand(t, q->seat, t->tile, &hand);
        return mj_judge(q, &hand, result);
    }
    if (seat->drawn != MJ_NONE && seat->waits_known ? !(seat->waits >> seat->drawn & 1) : mj_lacking(book, seat) > 0)
        return false;
    if (seat->drawn != MJ_NONE) {
        mj_as_hand(t, q->seat, MJ_NONE, &hand);
        q->win_tile = hand.win_tile = seat->drawn;
        return mj_judge(q, &hand, result);
    }
    if (q->seat != t->dealer || seat->draws != 0 || t->claimed_any
        || concealed(seat) != book->program->hand_size + 1u)
        return false;
    /* Of the fourteen that were dealt any may count as the winning one. */
    bool found = false;
    mj_result tried;
    unsigned tile = MJ_NONE;
    for (uint64_t rest = seat->held[0]; rest != 0; rest &= rest - 1) {
        mj_as_hand(t, q->seat, MJ_NONE, &hand);
        q->win_tile = hand.win_tile = (uint8_t)mj_lowest(rest);
        if (mj_judge(q, &hand, &tried) && (!found || is_better(&tried, result))) {
            *result = tried;
            tile = q->win_tile;
            found = true;
        }
    }
    q->win_tile = tile;
    return found;
}

/* ---- the rule file -------------------------------------------------------------------- */

static const uint8_t kong_events[MJ_ACTS] = {
    [MJ_A_DIRECT_KONG] = MJ_E_DIRECT_KONG, [MJ_A_CONCEALED_KONG] = MJ_E_CONCEALED_KONG,
    [MJ_A_ADDED_KONG] = MJ_E_ADDED_KONG,
};

static void start_asker(const mj_book *book, const mj_table *t, unsigned number, unsigned act, mj_asker *q)
{
    q->book = book;
    q->table = t;
    q->seat = number;
    q->source = t->source == number ? MJ_NONE : t->source;
    q->act = act;
    q->event = act == MJ_A_DIRECT_KONG || act == MJ_A_CONCEALED_KONG || act == MJ_A_ADDED_KONG
        ? kong_events[act] : MJ_EVENT_KINDS;
    q->flags = 0;
    q->winners = 0;
    q->win_tile = MJ_NONE;
    q->left = mj_left(t);
    q->changing = 0;
    q->judging = false;
    q->alone = false;
    q->result = NULL;
}

/* Of the kinds for which the tiles allow a move those for which the rule file does; *must those that
 * it demands. */
static uint64_t permitted(mj_asker *q, unsigned act, uint64_t kinds, uint64_t *must)
{
    const mj_book_spec *spec = &q->book->spec;
    if (spec->may[act].set == MJ_NO_REGISTER)
        return 0;
    mj_ask_code(q, &spec->may[act]);
    kinds &= q->sets[spec->may[act].set];
    if (kinds != 0 && spec->must[act].set != MJ_NO_REGISTER) {
        mj_ask_code(q, &spec->must[act]);
        *must |= kinds & q->sets[spec->must[act].set];
    }
    return kinds;
}

static uint64_t permitted_kongs(const mj_book *book, mj_table *t, unsigned number, unsigned act, uint64_t kinds,
                                uint64_t *must)
{
    if (kinds == 0)
        return 0;
    mj_asker q;
    start_asker(book, t, number, act, &q);
    if (book->asks_changing[act])
        q.changing = changing_kongs(book, t, number, act, kinds);
    return permitted(&q, act, kinds, must);
}

static void note_win(mj_place *seat, const mj_asker *q, const mj_result *result)
{
    seat->asked_fan = result->totals[MJ_FAN];
    seat->asked_money = result->money;
    seat->asked_tile = (uint8_t)q->win_tile;
    seat->asked_fans = 0;
    for (uint32_t f = 0; f < q->book->program->n_fans; f++)
        seat->asked_fans |= result->counts[f] > 0 ? mj_bit(f) : 0;
}

static bool permitted_win(mj_asker *q, unsigned act, const mj_result *result, bool *must)
{
    uint64_t demanded = 0;
    q->judging = false;
    q->act = act;
    q->left = mj_left(q->table);
    q->result = result;
    const uint64_t bit = mj_bit(q->win_tile);
    const bool may = permitted(q, act, bit, &demanded) != 0;
    *must = demanded != 0;
    return may;
}

/* ---- sets of moves ---------------------------------------------------------------------- */

static void add_moves(uint64_t *moves, unsigned first, uint64_t kinds)
{
    const unsigned word = first / 64, shift = first % 64;
    moves[word] |= kinds << shift;
    if (shift > 0 && word + 1 < MJ_MOVE_WORDS)
        moves[word + 1] |= kinds >> (64 - shift);
}

static void add_move(uint64_t *moves, unsigned move)
{
    moves[move / 64] |= mj_bit(move % 64);
}

static bool has_move(const uint64_t *moves, unsigned move)
{
    return move < MJ_MOVES && moves[move / 64] >> move % 64 & 1;
}

static uint64_t added_kongs(const mj_place *seat)
{
    uint64_t kinds = 0;
    for (unsigned i = 0; i < seat->n_melds; i++)
        if (seat->melds[i].type == MJ_PUNG && seat->tiles[seat->melds[i].tile])
            kinds |= mj_bit(seat->melds[i].tile);
    return kinds;
}

static mj_status turn_moves(const mj_book *book, mj_table *t, unsigned number, uint64_t *moves)
{
    const mj_place *seat = &t->seats[number];
    uint64_t must_discard = 0, must_concealed = 0, must_added = 0;
    bool must_win = false, may_win = false;
    mj_asker q;
    start_asker(book, t, number, MJ_A_DISCARD, &q);
    const uint64_t discards = permitted(&q, MJ_A_DISCARD, seat->held[0], &must_discard);
    uint64_t concealed_kongs = 0, added = 0;
    if (mj_left(t) > 0) {
        concealed_kongs = permitted_kongs(book, t, number, MJ_A_CONCEALED_KONG, seat->held[3], &must_concealed);
        added = permitted_kongs(book, t, number, MJ_A_ADDED_KONG, added_kongs(seat), &must_added);
    }
    mj_result result;
    win_asker(book, t, number, &q);
    if (best_win(book, t, &q, &result)) {
        note_win(&t->seats[number], &q, &result);
        may_win = permitted_win(&q, MJ_A_SELF_DRAW, &result, &must_win);
    }
    const bool must = must_win || must_discard || must_concealed || must_added;
    add_moves(moves, MJ_M_DISCARD, must ? must_discard : discards);
    add_moves(moves, MJ_M_CONCEALED_KONG, must ? must_concealed : concealed_kongs);
    add_moves(moves, MJ_M_ADDED_KONG, must ? must_added : added);
    if (must ? must_win : may_win)
        add_move(moves, MJ_M_WIN);
    return moves[0] | moves[1] ? MJ_OK : MJ_NO_MOVE;
}

/* The places (0 lowest, 1 middle, 2 highest) of the tile in a run with two own tiles. */
static unsigned chow_places(const mj_place *seat, unsigned tile)
{
    unsigned places = 0;
    if (tile >= MJ_NUMBER_KINDS)
        return 0;
    for (unsigned place = 0; place < 3; place++) {
        if (tile % MJ_RANKS < place || !mj_starts_run(tile - place))
            continue;
        const uint64_t others = UINT64_C(7) << (tile - place) & ~mj_bit(tile);
        places |= (seat->held[0] & others) == others ? 1u << place : 0;
    }
    return places;
}

/* What a seat may answer to the tile on the table. */
static void claim_moves(const mj_book *book, mj_table *t, unsigned number, uint64_t *moves)
{
    mj_place *seat = &t->seats[number];
    const uint64_t bit = mj_bit(t->tile);
    const bool may_pung = !t->robbing && (seat->held[1] & bit), may_kong = !t->robbing && (seat->held[2] & bit) && mj_left(t);
    const unsigned chows = t->robbing || book->spec.may[MJ_A_CHOW].set == MJ_NO_REGISTER
        ? 0 : chow_places(seat, t->tile);
    const bool waits = mj_waits_of(book, t, number) & bit;
    if (!may_pung && !chows && !waits)
        return;
    uint64_t must_pung = 0, must_kong = 0, must_chow = 0;
    bool must_win = false, win = false;
    uint64_t pung = 0, kong = 0, chow = 0;
    mj_asker q;
    if (waits) {
        mj_result result;
        win_asker(book, t, number, &q);
        if (best_win(book, t, &q, &result)) {
            note_win(seat, &q, &result);
            win = permitted_win(&q, t->robbing ? MJ_A_ROB : MJ_A_DISCARD_WIN, &result, &must_win);
        }
    }
    if (may_kong)
        kong = permitted_kongs(book, t, number, MJ_A_DIRECT_KONG, bit, &must_kong);
    if (may_pung) {
        start_asker(book, t, number, MJ_A_PUNG, &q);
        pung = permitted(&q, MJ_A_PUNG, bit, &must_pung);
    }
    if (chows) {
        start_asker(book, t, number, MJ_A_CHOW, &q);
        chow = permitted(&q, MJ_A_CHOW, bit, &must_chow);
    }
    const bool must = must_win || must_pung || must_kong || must_chow;
    if (must ? must_win : win)
        add_move(moves, MJ_M_WIN);
    if (must ? must_kong : kong)
        add_move(moves, MJ_M_DIRECT_KONG);
    if (must ? must_pung : pung)
        add_move(moves, MJ_M_PUNG);
    if (must ? must_chow : chow)
        add_moves(moves, MJ_M_CHOW, chows);
    if (!(moves[1] != 0) || must)
        return;
    uint64_t ignored = 0;
    start_asker(book, t, number, MJ_A_PASS, &q);
    if (permitted(&q, MJ_A_PASS, MJ_ALL_KINDS, &ignored) & bit)
        add_move(moves, MJ_M_PASS);
}

static uint64_t swappable(const mj_book *book, const mj_place *seat)
{
    static const uint64_t suits[MJ_SUITS] = {
        UINT64_C(0x1ff), UINT64_C(0x1ff) << MJ_RANKS, UINT64_C(0x1ff) << 2 * MJ_RANKS,
        UINT64_C(0x7f) << MJ_NUMBER_KINDS,
    };
    if (book->spec.swap == 2)
        return seat->held[0];
    uint64_t kinds = 0;
    if (seat->n_given > 0) {
        kinds = seat->held[0] & suits[mj_suit_of(seat->given[0])];
        return kinds ? kinds : seat->held[0];
    }
    for (unsigned suit = 0; suit < MJ_SUITS; suit++) {
        unsigned n = 0;
        for (uint64_t rest = seat->held[0] & suits[suit]; rest != 0; rest &= rest - 1)
            n += seat->tiles[mj_lowest(rest)];
        kinds |= n >= 3 ? seat->held[0] & suits[suit] : 0;
    }
    return kinds ? kinds : seat->held[0];
}

static bool from_front(const mj_book *book, const mj_table *t)
{
    return t->chain == 0 || book->spec.replaces_front;
}

static bool is_awaited(const mj_table *t, unsigned number)
{
    if (t->phase == MJ_P_OVER)
        return false;
    if (t->phase == MJ_P_DRAW || t->phase == MJ_P_TURN)
        return t->actor == number;
    return t->waiting >> number & 1;
}

mj_status mj_legal(const mj_book *book, mj_table *t, unsigned number, uint64_t *moves)
{
    memset(moves, 0, MJ_MOVE_WORDS * sizeof *moves);
    if (!is_awaited(t, number))
        return MJ_OK;
    const mj_place *seat = &t->seats[number];
    switch (t->phase) {
    case MJ_P_SWAP:
        add_moves(moves, MJ_M_SWAP, swappable(book, seat));
        return MJ_OK;
    case MJ_P_VOID:
        for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
            if (book->all_kinds & book->void_kinds[suit])
                add_move(moves, MJ_M_VOID + suit);
        return MJ_OK;
    case MJ_P_DECLARE: {
        const unsigned n = book->spec.n_values[book->spec.steps[t->step] - 2];
        for (unsigned i = 0; i < n; i++)
            add_move(moves, MJ_M_DECLARE + i);
        return MJ_OK;
    }
    case MJ_P_DRAW:
        add_move(moves, MJ_M_DRAW + t->wall[from_front(book, t) ? t->front : t->back - 1]);
        return MJ_OK;
    case MJ_P_CLAIM:
        moves[1] = t->asked[number][0];
        moves[2] = t->asked[number][1];
        return MJ_OK;
    default:
        return turn_moves(book, t, number, moves);
    }
}

/* ---- what moves do ----------------------------------------------------------------------- */

static void end(mj_table *t)
{
    t->phase = MJ_P_OVER;
    t->waiting = 0;
}

static bool holds_over(const mj_book *book, const mj_table *t, unsigned left)
{
    if (book->spec.hand_over.set == MJ_NO_REGISTER)
        return false;
    mj_asker q;
    start_asker(book, t, 0, MJ_ACTS, &q);
    q.source = MJ_NONE;
    q.judging = true;
    q.event = MJ_E_HAND_OVER;
    q.left = left;
    mj_ask_code(&q, &book->spec.hand_over);
    return q.sets[book->spec.hand_over.set] != 0;
}

static unsigned playing(const mj_book *book, const mj_table *t)
{
    return book->spec.winners_stay ? book->spec.players : book->spec.players - mj_count(t->won);
}

/* Adds an event; *over tells whether the hand is. */
static mj_status happen(const mj_book *book, mj_table *t, mj_event event, bool *over)
{
    if (t->n_events == MJ_MAX_EVENTS)
        return MJ_BAD_LIMITS;
    t->events[t->n_events++] = event;
    *over = holds_over(book, t, t->is_drawn ? 0 : MANY_TILES) || playing(book, t) < 2
        || (book->spec.first_win_ends && event.winners);
    if (*over)
        end(t);
    return MJ_OK;
}

static mj_status draw_hand(const mj_book *book, mj_table *t)
{
    mj_status status = MJ_OK;
    bool over;
    if (book->spec.winners_stay || book->spec.players - mj_count(t->won) >= 2) {
        status = mj_tell_states(book, t);
        t->is_drawn = 1;
        if (status == MJ_OK)
            status = happen(book, t, (mj_event){.kind = MJ_E_DRAWN, .seat = MJ_NONE, .from = MJ_NONE}, &over);
    }
    end(t);
    return status;
}

static mj_status begin_turn(const mj_book *book, mj_table *t, unsigned number)
{
    number %= book->spec.players;
    while (!mj_plays(book, t, number))
        number = (number + 1) % book->spec.players;
    t->actor = (uint8_t)number;
    t->chain = 0;
    for (unsigned s = 0; s < book->spec.players; s++) {
        t->seats[s].drawn = MJ_NONE;
        t->seats[s].fresh = 0;
    }
    t->source = MJ_NONE;
    if (mj_left(t) == 0 || (book->spec.over_asks_wall && holds_over(book, t, mj_left(t))))
        return draw_hand(book, t);
    t->phase = MJ_P_DRAW;
    return MJ_OK;
}

static void open_step(const mj_book *book, mj_table *t, unsigned step)
{
    t->step = (uint8_t)step;
    t->actor = t->dealer;
    if (step >= book->spec.n_steps) {
        t->phase = MJ_P_TURN;
        return;
    }
    const unsigned what = book->spec.steps[step];
    t->phase = (uint8_t)(what == 0 ? MJ_P_SWAP : what == 1 ? MJ_P_VOID : MJ_P_DECLARE);
    t->waiting = (uint8_t)((1u << book->spec.players) - 1);
}

static void answered(const mj_book *book, mj_table *t, unsigned number)
{
    t->waiting &= (uint8_t)~(1u << number);
    if (t->waiting)
        return;
    if (t->phase == MJ_P_SWAP)
        for (unsigned s = 0; s < book->spec.players; s++)
            for (unsigned i = 0; i < 3; i++)
                mj_give(&t->seats[(s + t->direction) % book->spec.players], t->seats[s].given[i]);
    open_step(book, t, t->step + 1u);
}

static void lay_down(mj_table *t, mj_place *seat, mj_group meld, unsigned taken)
{
    if (meld.type == MJ_CHOW) {
        for (unsigned k = 0; k < 3; k++)
            if (meld.tile + k != t->tile)
                mj_take(seat, meld.tile + k);
    } else {
        for (unsigned i = 0; i < taken; i++)
            mj_take(seat, meld.tile);
    }
    if (meld.type == MJ_ADDED_KONG) {
        for (unsigned i = 0; i < seat->n_melds; i++)
            if (seat->melds[i].type == MJ_PUNG && seat->melds[i].tile == meld.tile)
                seat->melds[i] = meld;
        t->shown[meld.tile] += 1;
    } else {
        seat->melds[seat->n_melds++] = meld;
        for (unsigned k = 0; k < 3; k++)
            t->shown[meld.type == MJ_CHOW ? meld.tile + k : meld.tile] += 1;
        t->shown[meld.tile] += mj_is_a(meld, MJ_KONGS);
    }
    seat->melded |= mj_kinds_of(meld);
    seat->waits_known = 0;
    t->claimed_any = 1;
}

static mj_status konged(const mj_book *book, mj_table *t, unsigned kind, unsigned number, unsigned source, bool late)
{
    static const uint8_t numbers[] = {
        [MJ_E_CONCEALED_KONG] = 3, [MJ_E_DIRECT_KONG] = 1, [MJ_E_ADDED_KONG] = 2,
    };
    mj_place *seat = &t->seats[number];
    t->actor = (uint8_t)number;
    t->chain += 1;
    t->source = MJ_NONE;
    seat->drawn = MJ_NONE;
    seat->just_ponged = 0;
    seat->kong_kind = numbers[kind];
    seat->kong_feeder = (uint8_t)source;
    const mj_event event = {.kind = (uint8_t)kind, .seat = (uint8_t)number, .from = (uint8_t)source,
                            .flags = late ? MJ_FLAG_LATE : 0};
    bool over;
    const mj_status status = happen(book, t, event, &over);
    if (status == MJ_OK && !over)
        t->phase = MJ_P_DRAW;
    return status;
}

static mj_status won(const mj_book *book, mj_table *t, unsigned kind, unsigned winners, unsigned first)
{
    mj_event event = {.kind = (uint8_t)kind, .seat = MJ_NONE, .winners = (uint8_t)winners};
    event.from = kind == MJ_E_SELF_DRAW ? MJ_NONE : t->source;
    event.flags = (uint16_t)flags_of(t, kind, first);
    unsigned tile = t->tile;
    mj_asker q;
    mj_result result;
    for (unsigned s = 0; s < book->spec.players; s++) {
        if (!(winners >> s & 1))
            continue;
        mj_place *seat = &t->seats[s];
        if (winners & (winners - 1)) {
            /* With several winners words about all of them may read otherwise. */
            win_asker(book, t, s, &q);
            q.winners = winners;
            q.flags = event.flags;
            if (!best_win(book, t, &q, &result))
                return MJ_BAD_ARGUMENT;
            note_win(seat, &q, &result);
        }
        event.worth[s] = seat->asked_money;
        t->fans |= seat->asked_fans;
        tile = seat->asked_tile;
    }
    if (kind == MJ_E_SELF_DRAW) {
        const bool dealt = t->seats[first].drawn == MJ_NONE;
        mj_take(&t->seats[first], tile);
        t->seats[first].drawn = MJ_NONE;
        t->seats[first].waits_known = dealt ? 0 : t->seats[first].waits_known;
    }
    if (kind == MJ_E_ROBBED_KONG) {
        t->seats[t->source].kong_kind = 2;
        t->seats[t->source].kong_feeder = MJ_NONE;
    }
    if (!t->has_won) {
        t->has_won = 1;
        t->first_winners = (uint8_t)winners;
        t->first_discarders = event.from == MJ_NONE ? 0 : (uint8_t)(1u << event.from);
    }
    t->won |= (uint8_t)winners;
    const unsigned source = event.from;
    bool over;
    const mj_status status = happen(book, t, event, &over);
    t->shown[tile] += 1;
    if (status != MJ_OK || over)
        return status;
    return begin_turn(book, t, (source == MJ_NONE || !book->spec.after_discarder ? first : source) + 1);
}

static void decline(const mj_table *t, mj_place *seat, const uint64_t *asked)
{
    const unsigned answer = seat->answer;
    if (asked[0] >> (MJ_M_WIN - 64) & 1 && answer != MJ_M_WIN) {
        seat->passed_fan = seat->passed_fan > seat->asked_fan ? seat->passed_fan : seat->asked_fan;
        seat->passed_money = seat->passed_money > seat->asked_money ? seat->passed_money : seat->asked_money;
    }
    if (asked[0] >> (MJ_M_PUNG - 64) & 1 && answer != MJ_M_PUNG && answer != MJ_M_DIRECT_KONG && answer != MJ_M_WIN)
        seat->passed_pungs |= mj_bit(t->tile);
}

static unsigned rank_of(const mj_book *book, unsigned answer)
{
    const uint8_t *ranks = book->spec.ranks;
    return answer == MJ_M_WIN ? ranks[0] : answer == MJ_M_DIRECT_KONG ? ranks[1]
        : answer == MJ_M_PUNG ? ranks[2] : ranks[3];
}

static mj_status claimed(const mj_book *book, mj_table *t, unsigned number, unsigned answer)
{
    mj_place *seat = &t->seats[number];
    const unsigned source = t->source;
    for (unsigned s = 0; s < book->spec.players; s++)
        t->seats[s].fresh = 0;
    t->chain = 0;
    const uint8_t type = answer == MJ_M_PUNG ? MJ_PUNG : answer == MJ_M_DIRECT_KONG ? MJ_DIRECT_KONG : MJ_CHOW;
    const uint8_t tile = (uint8_t)(t->tile - (type == MJ_CHOW ? answer - MJ_M_CHOW : 0));
    lay_down(t, seat, (mj_group){type, tile}, type == MJ_DIRECT_KONG ? 3 : 2);
    t->source = MJ_NONE;
    if (type == MJ_DIRECT_KONG)
        return konged(book, t, MJ_E_DIRECT_KONG, number, source, false);
    seat->just_ponged = type == MJ_PUNG;
    t->actor = (uint8_t)number;
    t->phase = MJ_P_TURN;
    return MJ_OK;
}

/* Everybody has answered: the highest claim is carried out. */
static mj_status resolve(const mj_book *book, mj_table *t)
{
    const unsigned players = book->spec.players, source = t->source, tile = t->tile;
    unsigned best = 256, first = MJ_NONE, winners = 0, first_winner = MJ_NONE;
    for (unsigned n = 1; n < players; n++) {
        const unsigned s = (source + n) % players;
        if (!(t->had >> s & 1))
            continue;
        decline(t, &t->seats[s], t->asked[s]);
        const unsigned answer = t->seats[s].answer;
        if (answer == MJ_M_PASS)
            continue;
        const unsigned rank = rank_of(book, answer);
        if (rank < best) {
            best = rank;
            first = s;
            winners = 0;
        }
        if (rank == best && answer == MJ_M_WIN) {
            first_winner = winners ? first_winner : s;
            winners |= !winners || !book->spec.nearest_wins ? 1u << s : 0;
        }
    }
    if (winners) {
        if (t->robbing)
            mj_take(&t->seats[source], tile), t->seats[source].waits_known = 0;
        return won(book, t, t->robbing ? MJ_E_ROBBED_KONG : MJ_E_DISCARD_WIN, winners, first_winner);
    }
    if (t->robbing) {
        mj_place *seat = &t->seats[source];
        const bool late = !(seat->fresh >> tile & 1);
        lay_down(t, seat, (mj_group){MJ_ADDED_KONG, (uint8_t)tile}, 1);
        return konged(book, t, MJ_E_ADDED_KONG, source, MJ_NONE, late);
    }
    if (first != MJ_NONE)
        return claimed(book, t, first, t->seats[first].answer);
    t->shown[tile] += 1;
    return begin_turn(book, t, source + 1);
}

/* Who may want the tile of a discard or of an added kong. */
static mj_status ask(const mj_book *book, mj_table *t)
{
    const unsigned players = book->spec.players;
    const bool chows = book->spec.may[MJ_A_CHOW].set != MJ_NO_REGISTER;
    t->waiting = t->had = 0;
    for (unsigned n = 1; n < players; n++) {
        const unsigned s = (t->source + n) % players;
        if (!mj_plays(book, t, s))
            continue;
        const mj_place *seat = &t->seats[s];
        if (!chows && seat->waits_known && !((seat->waits | seat->held[1]) >> t->tile & 1))
            continue;
        uint64_t moves[MJ_MOVE_WORDS] = {0};
        claim_moves(book, t, s, moves);
        if (moves[1] == 0)
            continue;
        t->asked[s][0] = moves[1];
        t->asked[s][1] = moves[2];
        t->had |= (uint8_t)(1u << s);
    }
    t->waiting = t->had;
    t->phase = MJ_P_CLAIM;
    return t->waiting ? MJ_OK : resolve(book, t);
}

static mj_status discard(const mj_book *book, mj_table *t, mj_place *seat, unsigned number, unsigned kind)
{
    mj_take(seat, kind);
    seat->n_discards += seat->n_discards < MJ_NONE;
    if (seat->void_suit != mj_suit_of(kind))
        seat->all_void = 0;
    if (seat->drawn != kind)
        seat->waits_known = 0;
    seat->drawn = MJ_NONE;
    seat->just_ponged = 0;
    t->source = (uint8_t)number;
    t->tile = (uint8_t)kind;
    t->robbing = 0;
    return ask(book, t);
}

static void draw(const mj_book *book, mj_table *t, mj_place *seat)
{
    const unsigned kind = from_front(book, t) ? t->wall[t->front++] : t->wall[--t->back];
    mj_give(seat, kind);
    seat->drawn = (uint8_t)kind;
    seat->draws += seat->draws < MJ_NONE;
    seat->fresh |= mj_bit(kind);
    seat->just_ponged = 0;
    seat->passed_pungs = 0;
    seat->passed_fan = seat->passed_money = -1;
    t->source = MJ_NONE;
    t->phase = MJ_P_TURN;
}

mj_status mj_apply(const mj_book *book, mj_table *t, unsigned number, unsigned move)
{
    mj_place *seat = &t->seats[number];
    if (t->n_log < MJ_MAX_LOG)
        t->log[t->n_log++] = (uint16_t)(number << 8 | move);
    if (t->phase == MJ_P_CLAIM) {
        seat->answer = (uint8_t)move;
        t->waiting &= (uint8_t)~(1u << number);
        return t->waiting ? MJ_OK : resolve(book, t);
    }
    if (move >= MJ_M_DRAW) {
        draw(book, t, seat);
    } else if (move >= MJ_M_DECLARE) {
        const unsigned slot = book->spec.steps[t->step] - 2u;
        seat->stances[slot] = book->spec.values[slot][move - MJ_M_DECLARE];
        answered(book, t, number);
    } else if (move >= MJ_M_VOID) {
        seat->void_suit = (uint8_t)(move - MJ_M_VOID);
        answered(book, t, number);
    } else if (move >= MJ_M_SWAP) {
        mj_take(seat, move - MJ_M_SWAP);
        seat->given[seat->n_given++] = (uint8_t)(move - MJ_M_SWAP);
        if (seat->n_given == 3)
            answered(book, t, number);
    } else if (move == MJ_M_WIN) {
        return won(book, t, MJ_E_SELF_DRAW, 1u << number, number);
    } else if (move >= MJ_M_ADDED_KONG) {
        t->source = (uint8_t)number;
        t->tile = (uint8_t)(move - MJ_M_ADDED_KONG);
        t->robbing = 1;
        return ask(book, t);
    } else if (move >= MJ_M_CONCEALED_KONG) {
        lay_down(t, seat, (mj_group){MJ_CONCEALED_KONG, (uint8_t)(move - MJ_M_CONCEALED_KONG)}, 4);
        return konged(book, t, MJ_E_CONCEALED_KONG, number, MJ_NONE, false);
    } else {
        return discard(book, t, seat, number, move);
    }
    return MJ_OK;
}

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
    memset(t, 0, offsetof(mj_table, events));
    memcpy(t->wall, wall, n);
    const unsigned players = book->spec.players, size = book->program->hand_size;
    unsigned at = 0;
    for (unsigned given = 0; given < size;) {
        const unsigned round = size - given < 4 ? size - given : 4;
        for (unsigned p = 0; p < players; p++)
            for (unsigned i = 0; i < round; i++)
                mj_give(&t->seats[(dealer + p) % players], wall[at++]);
        given += round;
    }
    mj_give(&t->seats[dealer], wall[at++]);
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
    open_step(book, t, 0);
    return MJ_OK;
}

/* ---- is this a table at all? -------------------------------------------------------------------- */

static bool is_place(const mj_place *seat)
{
    mj_place copy = {0};
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        if (seat->tiles[kind] > MJ_MAX_COPIES)
            return false;
        for (unsigned i = 0; i < seat->tiles[kind]; i++)
            mj_give(&copy, kind);
    }
    if (memcmp(copy.held, seat->held, sizeof copy.held) != 0 || memcmp(copy.index, seat->index, sizeof copy.index) != 0)
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
    return !(asked[0] >> (MJ_M_CHOW - 64) & 7 & ~(uint64_t)chow_places(seat, t->tile));
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
    return !t->robbing || added_kongs(&t->seats[t->source]) >> t->tile & 1;
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
    if (t->phase != MJ_P_OVER && playing(book, t) < 1)
        return false;
    for (unsigned i = t->front; i < t->back; i++)
        if (t->wall[i] >= MJ_KINDS)
            return false;
    for (unsigned i = 0; i < t->n_horses; i++)
        if (t->horses[i] >= MJ_KINDS)
            return false;
    for (unsigned s = 0; s < players; s++) {
        const mj_place *seat = &t->seats[s];
        if (!is_place(seat) || (t->phase == MJ_P_SWAP && (t->waiting >> s & 1) == (seat->n_given == 3)))
            return false;
        if (t->phase == MJ_P_SWAP && concealed(seat) + seat->n_given < 3)
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
