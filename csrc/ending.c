/* How seats stand when a hand is drawn, and what a hand comes to. */
#include <string.h>

#include "play.h"

/* ---- states and calls --------------------------------------------------------------- */

static bool is_pig(const mj_book *book, const mj_table *t, unsigned number)
{
    if (book->spec.pig.set == MJ_NO_REGISTER)
        return false;
    mj_asker q;
    mj_seat_asker(book, t, number, &q);
    q.event = MJ_E_DRAWN;
    q.win_tile = MJ_NONE;
    mj_ask_code(&q, &book->spec.pig);
    return q.sets[book->spec.pig.set] != 0;
}

/* A wait on a fifth copy is one in shape only, but one.  Distances do not see it; but who lacks only that
 * tile lacks at most three others, by which another meld takes the place of the one with five alike. */
static uint64_t all_waits(const mj_book *book, mj_table *t, unsigned number)
{
    const mj_place *seat = &t->seats[number];
    if (book->plain && !seat->held[3])
        return mj_waits_of(book, t, number);
    if (mj_lacking(book, seat) > (seat->held[3] ? 3u : 1u))
        return 0;
    mj_hand hand;
    memset(&hand, 0, sizeof hand);
    mj_as_hand(t, number, MJ_NONE, &hand);
    return mj_completing_kinds(book->tables, book->program, &hand);
}

mj_status mj_tell_states(const mj_book *book, mj_table *t)
{
    for (unsigned s = 0; s < book->spec.players; s++) {
        int64_t best = -1, least = 0;
        for (uint64_t rest = all_waits(book, t, s); rest != 0; rest &= rest - 1) {
            const int64_t worth = mj_worth_of_wait(book, t, s, mj_lowest(rest));
            if (worth < 0)
                continue;
            least = best < 0 || worth < least ? worth : least;
            best = worth > best ? worth : best;
        }
        const bool has_won = t->won >> s & 1, pig = !has_won && is_pig(book, t, s);
        t->states[s] = has_won ? MJ_S_WON : pig ? MJ_S_PIG : best >= 0 ? MJ_S_READY : MJ_S_NOT_READY;
        t->best_call[s] = best >= 0 && !pig ? best : 0;
        t->least_call[s] = best >= 0 && !pig ? least : 0;
    }
    return MJ_OK;
}

/* ---- settlement --------------------------------------------------------------------------- */

mj_status mj_table_settle(const mj_book *book, const mj_table *t, mj_posting *postings, uint32_t capacity,
                          mj_settlement *out)
{
    if (book == NULL || t == NULL || out == NULL)
        return MJ_BAD_ARGUMENT;
    if (t->phase != MJ_P_OVER || t->n_events > MJ_MAX_EVENTS || t->n_horses > MJ_MAX_HORSES)
        return MJ_BAD_ORDER;
    mj_game game;
    memset(&game, 0, sizeof game);
    game.players = book->spec.players;
    game.dealer = t->dealer;
    game.n_horses = t->n_horses;
    for (unsigned i = 0; i < t->n_horses; i++)
        game.horses[i] = (uint8_t)((t->dealer + t->horses[i] % MJ_RANKS) % book->spec.players);
    for (unsigned s = 0; s < MJ_SEATS; s++)
        memcpy(game.stances[s], t->seats[s].stances, sizeof game.stances[s]);
    memcpy(game.states, t->states, sizeof game.states);
    memcpy(game.best_call, t->best_call, sizeof game.best_call);
    memcpy(game.least_call, t->least_call, sizeof game.least_call);
    return mj_settle(book->flows, &game, t->events, t->n_events, postings, capacity, out);
}
