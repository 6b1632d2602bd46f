/* What moves do: tiles change hands, events happen, the turn goes on. */
#include <string.h>

#include "play.h"

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
    mj_start_asker(book, t, 0, MJ_ACTS, &q);
    q.source = MJ_NONE;
    q.judging = true;
    q.event = MJ_E_HAND_OVER;
    q.left = left;
    mj_ask_code(&q, &book->spec.hand_over);
    return q.sets[book->spec.hand_over.set] != 0;
}

unsigned mj_playing(const mj_book *book, const mj_table *t)
{
    return book->spec.winners_stay ? book->spec.players : book->spec.players - mj_count(t->won);
}

/* Adds an event; *over tells whether the hand is. */
static mj_status happen(const mj_book *book, mj_table *t, mj_event event, bool *over)
{
    if (t->n_events == MJ_MAX_EVENTS)
        return MJ_BAD_LIMITS;
    t->events[t->n_events++] = event;
    *over = holds_over(book, t, t->is_drawn ? 0 : MJ_MANY_TILES) || mj_playing(book, t) < 2
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

/* What was drawn is drawn no longer; only who had the turn drew anything. */
static void end_turn(mj_table *t)
{
    t->seats[t->actor].drawn = MJ_NONE;
    t->seats[t->actor].fresh = 0;
}

static mj_status begin_turn(const mj_book *book, mj_table *t, unsigned number)
{
    while (!mj_plays(book, t, number))
        number = mj_seat_after(book, number, 1);
    t->chain = 0;
    end_turn(t);
    t->actor = (uint8_t)number;
    t->source = MJ_NONE;
    if (mj_left(t) == 0 || (book->spec.over_asks_wall && holds_over(book, t, mj_left(t))))
        return draw_hand(book, t);
    t->phase = MJ_P_DRAW;
    return MJ_OK;
}

void mj_open_step(const mj_book *book, mj_table *t, unsigned step)
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
                mj_give(book, &t->seats[(s + t->direction) % book->spec.players], t->seats[s].given[i]);
    mj_open_step(book, t, t->step + 1u);
}

static void lay_down(const mj_book *book, mj_table *t, mj_place *seat, mj_group meld, unsigned taken)
{
    if (meld.type == MJ_CHOW) {
        for (unsigned k = 0; k < 3; k++)
            if (meld.tile + k != t->tile)
                mj_take(book, seat, meld.tile + k);
    } else {
        for (unsigned i = 0; i < taken; i++)
            mj_take(book, seat, meld.tile);
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
    event.flags = (uint16_t)mj_flags_of(book, t, kind);
    unsigned tile = t->tile;
    mj_asker q;
    mj_worth worth;
    for (unsigned s = 0; s < book->spec.players; s++) {
        if (!(winners >> s & 1))
            continue;
        mj_place *seat = &t->seats[s];
        if (winners & (winners - 1)) {
            /* With several winners words about all of them may read otherwise. */
            mj_win_asker(book, t, s, &q);
            q.winners = winners;
            q.flags = event.flags;
            if (!mj_best_win(book, t, &q, &worth))
                return MJ_BAD_ARGUMENT;
            mj_note_win(seat, &q, &worth);
        }
        event.worth[s] = seat->asked_money;
        t->fans |= seat->asked_fans;
        tile = seat->asked_tile;
    }
    if (kind == MJ_E_SELF_DRAW) {
        const bool dealt = t->seats[first].drawn == MJ_NONE;
        mj_take(book, &t->seats[first], tile);
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
    const bool after_winner = source == MJ_NONE || !book->spec.after_discarder;
    return begin_turn(book, t, mj_seat_after(book, after_winner ? first : source, 1));
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
    end_turn(t);
    t->chain = 0;
    const uint8_t type = answer == MJ_M_PUNG ? MJ_PUNG : answer == MJ_M_DIRECT_KONG ? MJ_DIRECT_KONG : MJ_CHOW;
    const uint8_t tile = (uint8_t)(t->tile - (type == MJ_CHOW ? answer - MJ_M_CHOW : 0));
    lay_down(book, t, seat, (mj_group){type, tile}, type == MJ_DIRECT_KONG ? 3 : 2);
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
    for (unsigned n = 1; t->had && n < players; n++) {
        const unsigned s = mj_seat_after(book, source, n);
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
        if (t->robbing) {
            mj_place *robbed = &t->seats[source];
            mj_take(book, robbed, tile);
            robbed->drawn = MJ_NONE;   /* which may have been this tile */
            robbed->waits_known = 0;
        }
        return won(book, t, t->robbing ? MJ_E_ROBBED_KONG : MJ_E_DISCARD_WIN, winners, first_winner);
    }
    if (t->robbing) {
        mj_place *seat = &t->seats[source];
        const bool late = !(seat->fresh >> tile & 1);
        lay_down(book, t, seat, (mj_group){MJ_ADDED_KONG, (uint8_t)tile}, 1);
        return konged(book, t, MJ_E_ADDED_KONG, source, MJ_NONE, late);
    }
    if (first != MJ_NONE)
        return claimed(book, t, first, t->seats[first].answer);
    t->shown[tile] += 1;
    return begin_turn(book, t, mj_seat_after(book, source, 1));
}

/* Who may want the tile of a discard or of an added kong. */
static mj_status ask(const mj_book *book, mj_table *t)
{
    const unsigned players = book->spec.players;
    const bool chows = book->may[MJ_A_CHOW].is_there;
    t->waiting = t->had = 0;
    for (unsigned n = 1; n < players; n++) {
        const unsigned s = mj_seat_after(book, t->source, n);
        if (!mj_plays(book, t, s))
            continue;
        const mj_place *seat = &t->seats[s];
        if (!((mj_waits_of(book, t, s) | seat->held[1]) >> t->tile & 1) && !(chows && mj_chow_places(seat, t->tile)))
            continue;
        uint64_t moves[MJ_MOVE_WORDS] = {0};
        mj_claim_moves(book, t, s, moves);
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
    mj_take(book, seat, kind);
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

static void log_move(mj_table *t, unsigned number, unsigned move)
{
    if (t->n_log < MJ_MAX_LOG)
        t->log[t->n_log++] = (uint16_t)(number << 8 | move);
}

void mj_draw(const mj_book *book, mj_table *t)
{
    mj_place *seat = &t->seats[t->actor];
    const unsigned kind = mj_from_front(book, t) ? t->wall[t->front++] : t->wall[--t->back];
    mj_give(book, seat, kind);
    seat->drawn = (uint8_t)kind;
    seat->draws += seat->draws < MJ_NONE;
    seat->fresh |= mj_bit(kind);
    seat->just_ponged = 0;
    seat->passed_pungs = 0;
    seat->passed_fan = seat->passed_money = -1;
    t->source = MJ_NONE;
    t->phase = MJ_P_TURN;
    log_move(t, t->actor, MJ_M_DRAW + kind);
}

mj_status mj_apply(const mj_book *book, mj_table *t, unsigned number, unsigned move)
{
    mj_place *seat = &t->seats[number];
    if (t->phase == MJ_P_DRAW) {
        mj_draw(book, t);
        return MJ_OK;
    }
    log_move(t, number, move);
    if (t->phase == MJ_P_TURN && move < MJ_M_CONCEALED_KONG)
        return discard(book, t, seat, number, move);
    if (t->phase == MJ_P_CLAIM) {
        seat->answer = (uint8_t)move;
        t->waiting &= (uint8_t)~(1u << number);
        return t->waiting ? MJ_OK : resolve(book, t);
    }
    if (move >= MJ_M_DECLARE) {
        const unsigned slot = book->spec.steps[t->step] - 2u;
        seat->stances[slot] = book->spec.values[slot][move - MJ_M_DECLARE];
        answered(book, t, number);
    } else if (move >= MJ_M_VOID) {
        seat->void_suit = (uint8_t)(move - MJ_M_VOID);
        answered(book, t, number);
    } else if (move >= MJ_M_SWAP) {
        mj_take(book, seat, move - MJ_M_SWAP);
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
    } else {
        lay_down(book, t, seat, (mj_group){MJ_CONCEALED_KONG, (uint8_t)(move - MJ_M_CONCEALED_KONG)}, 4);
        return konged(book, t, MJ_E_CONCEALED_KONG, number, MJ_NONE, false);
    }
    return MJ_OK;
}
