/* What may be done at a table.
 *
 * engine/play.py is the meaning of all this.  The tiles say first what is possible at all, with sets of
 * kinds; the rule file is asked only about that.
 */
#include <string.h>

#include "play.h"

/* ---- tiles -------------------------------------------------------------------------- */

unsigned mj_concealed(const mj_place *seat)
{
    unsigned n = 0;
    for (uint64_t rest = seat->held[0]; rest != 0; rest &= rest - 1)
        n += seat->tiles[mj_lowest(rest)];
    return n;
}

/* ---- waits -------------------------------------------------------------------------- */

static uint64_t exact_waits(const mj_book *book, const mj_table *t, unsigned number)
{
    mj_hand hand;
    memset(&hand, 0, sizeof hand);
    mj_as_hand(t, number, MJ_NONE, &hand);
    return mj_completing_kinds(book->tables, book->program, &hand);
}

/* The kinds with which a hand of hand_size tiles is complete.  A fifth copy is none that can come. */
uint64_t mj_find_waits(const mj_book *book, mj_table *t, unsigned number)
{
    mj_place *seat = &t->seats[number];
    if (mj_lacking(book, seat) > 1)
        return 0;
    if (!book->plain)
        return exact_waits(book, t, number) & ~seat->held[3];
    return mj_completed_by(book, seat);
}

/* Kinds of `kongs` whose kong would change what the hand waits for. */
static uint64_t changing_kongs(const mj_book *book, mj_table *t, unsigned number, unsigned act, uint64_t kongs)
{
    mj_place *seat = &t->seats[number];
    if (act != MJ_A_DIRECT_KONG && seat->drawn == MJ_NONE)
        return kongs;
    mj_place before = *seat;
    if (act != MJ_A_DIRECT_KONG)
        mj_take(book, seat, seat->drawn);
    const uint64_t was = exact_waits(book, t, number);
    *seat = before;
    uint64_t changing = 0;
    for (uint64_t rest = kongs; rest != 0; rest &= rest - 1) {
        const unsigned kind = mj_lowest(rest);
        const unsigned taken = act == MJ_A_CONCEALED_KONG ? 4 : act == MJ_A_ADDED_KONG ? 1 : 3;
        for (unsigned i = 0; i < taken; i++)
            mj_take(book, seat, kind);
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

/* Nobody has had a second turn.  A win may pass a seat over, whose first draw then comes in a later round. */
static bool is_first_round(const mj_book *book, const mj_table *t)
{
    for (unsigned number = 0; number < book->spec.players; number++)
        if (t->seats[number].draws > (number == t->dealer ? 0 : 1))
            return false;
    return true;
}

unsigned mj_flags_of(const mj_book *book, const mj_table *t, unsigned kind)
{
    unsigned flags = 0;
    if (kind == MJ_E_ROBBED_KONG)
        return 0;
    if (t->chain > 0)
        flags |= MJ_FLAG_AFTER_KONG | (t->chain > 1 ? MJ_FLAG_KONG_CHAIN : 0);
    if (mj_left(t) == 0)
        flags |= MJ_FLAG_LAST_TILE;
    if (!t->claimed_any && is_first_round(book, t)) {
        if (kind == MJ_E_SELF_DRAW || (t->source == t->dealer && t->seats[t->source].n_discards == 1))
            flags |= MJ_FLAG_FIRST_TURN;
    }
    return flags;
}

void mj_win_asker(const mj_book *book, const mj_table *t, unsigned number, mj_asker *q)
{
    q->book = book;
    q->table = t;
    q->seat = number;
    q->act = MJ_ACTS;
    const bool own = t->source == MJ_NONE || t->source == number;
    q->source = own ? MJ_NONE : t->source;
    q->event = own ? MJ_E_SELF_DRAW : t->robbing ? MJ_E_ROBBED_KONG : MJ_E_DISCARD_WIN;
    q->flags = mj_flags_of(book, t, q->event);
    q->winners = 1u << number;
    q->win_tile = own ? MJ_NONE : t->tile;
    q->left = MJ_MANY_TILES;
    q->changing = 0;
    q->judging = true;
    q->alone = false;
    q->worth = NULL;
}

static bool is_better(const mj_worth *a, const mj_worth *b)
{
    if (a->points != b->points)
        return a->points > b->points;
    for (unsigned i = 0; i < MJ_UNITS; i++)
        if (a->totals[i] != b->totals[i])
            return a->totals[i] > b->totals[i];
    return false;
}

/* Whether a seat whose turn it is may have won by what it drew, or was dealt, as far as is known without
 * taking its hand apart. */
static bool may_be_complete(const mj_book *book, const mj_table *t, unsigned number)
{
    const mj_place *seat = &t->seats[number];
    if (seat->drawn != MJ_NONE)
        return seat->waits_known ? seat->waits >> seat->drawn & 1 : mj_lacking(book, seat) == 0;
    return number == t->dealer && seat->draws == 0 && !t->claimed_any && mj_lacking(book, seat) == 0
        && mj_concealed(seat) == book->program->hand_size + 1u;
}

/* The best win of a seat now, with the asker's winners; false where there is none.  The winning tile is
 * left in the asker. */
bool mj_best_win(const mj_book *book, mj_table *t, mj_asker *q, mj_worth *worth)
{
    const mj_place *seat = &t->seats[q->seat];
    if (q->event != MJ_E_SELF_DRAW) {
        if (!(mj_waits_of(book, t, q->seat) >> t->tile & 1))
            return false;
        return mj_judge(q, true, worth);
    }
    if (!may_be_complete(book, t, q->seat))
        return false;
    if (seat->drawn != MJ_NONE) {
        q->win_tile = seat->drawn;
        return mj_judge(q, false, worth);
    }
    /* Of the fourteen that were dealt any may count as the winning one. */
    bool found = false;
    mj_worth tried;
    unsigned tile = MJ_NONE;
    for (uint64_t rest = seat->held[0]; rest != 0; rest &= rest - 1) {
        q->win_tile = mj_lowest(rest);
        if (mj_judge(q, false, &tried) && (!found || is_better(&tried, worth))) {
            *worth = tried;
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

void mj_start_asker(const mj_book *book, const mj_table *t, unsigned number, unsigned act, mj_asker *q)
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
    q->worth = NULL;
}

/* The rule for hands that hold these kinds. */
static inline const mj_rule *rule_for(const mj_book *book, const mj_place *seat, uint64_t held, const mj_rule *rule)
{
    return rule->without != NULL && !(held & mj_class_kinds(book, seat, rule->guard)) ? rule->without : rule;
}

static uint64_t told_by(mj_asker *q, const mj_rule *rule)
{
    if (rule->without != NULL)
        rule = rule_for(q->book, &q->table->seats[q->seat], mj_asked_kinds(q), rule);
    if (rule->n == 0)
        return rule->kinds;
    mj_answer(q, rule->ops, rule->n);
    return rule->negated ? ~q->sets[rule->set] : q->sets[rule->set];
}

/* Whether the rule file says nothing of an act but that it may be done, or not, whatever the table. */
static bool is_settled(const mj_book *book, unsigned act)
{
    return book->may[act].n == 0 && !book->must[act].is_there;
}

/* Of the kinds for which the tiles allow a move those for which the rule file does; *must those that
 * it demands. */
static uint64_t permitted(mj_asker *q, unsigned act, uint64_t kinds, uint64_t *must)
{
    const mj_rule *demands = &q->book->must[act];
    kinds &= told_by(q, &q->book->may[act]);
    if (kinds != 0 && demands->is_there)
        *must |= kinds & told_by(q, demands);
    return kinds;
}

static __attribute__((noinline)) uint64_t ask_of_move(const mj_book *book, const mj_table *t, unsigned number,
                                                      unsigned act, uint64_t kinds, uint64_t *must)
{
    mj_asker q;
    mj_start_asker(book, t, number, act, &q);
    return permitted(&q, act, kinds, must);
}

/* The same of a seat's move that is no win.  An asker is started only where there is more to be asked than the
 * kinds of a class. */
static inline uint64_t permitted_move(const mj_book *book, const mj_table *t, unsigned number, unsigned act,
                                      uint64_t kinds, uint64_t *must)
{
    const mj_place *seat = &t->seats[number];
    const mj_rule *may = rule_for(book, seat, seat->held[0] | seat->melded, &book->may[act]);
    if (book->must[act].is_there || (may->n != 0 && !may->is_class))
        return ask_of_move(book, t, number, act, kinds, must);
    if (may->is_class)
        return kinds & (mj_class_kinds(book, seat, may->ops[0].a) ^ (may->negated ? MJ_ALL_KINDS : 0));
    return kinds & may->kinds;
}

static uint64_t permitted_kongs(const mj_book *book, mj_table *t, unsigned number, unsigned act, uint64_t kinds,
                                uint64_t *must)
{
    if (kinds == 0)
        return 0;
    if (is_settled(book, act))
        return kinds & book->may[act].kinds;
    mj_asker q;
    mj_start_asker(book, t, number, act, &q);
    if (book->asks_changing[act]) {
        /* What kongs change is dear to find, and mostly the answer is the same either way: it is given for each
           kind by itself. */
        uint64_t allowed[2], demanded[2] = {0, 0};
        for (unsigned changes = 0; changes < 2; changes++) {
            q.changing = changes ? kinds : 0;
            allowed[changes] = permitted(&q, act, kinds, &demanded[changes]);
        }
        if (allowed[0] == allowed[1] && demanded[0] == demanded[1]) {
            *must |= demanded[0];
            return allowed[0];
        }
        q.changing = changing_kongs(book, t, number, act, kinds);
    }
    return permitted(&q, act, kinds, must);
}

void mj_note_win(mj_place *seat, const mj_asker *q, const mj_worth *worth)
{
    seat->asked_fan = worth->totals[MJ_FAN];
    seat->asked_money = worth->points;
    seat->asked_tile = (uint8_t)q->win_tile;
    seat->asked_fans = worth->fans;
}

/* Whether a seat has a win now that the rule file permits, and must take it. */
static __attribute__((noinline)) bool permitted_win(const mj_book *book, mj_table *t, unsigned number, unsigned act,
                                                     bool *must)
{
    mj_asker q;
    mj_worth worth;
    mj_win_asker(book, t, number, &q);
    if (!mj_best_win(book, t, &q, &worth))
        return false;
    mj_note_win(&t->seats[number], &q, &worth);
    uint64_t demanded = 0;
    q.judging = false;
    q.act = act;
    q.left = mj_left(t);
    q.worth = &worth;
    const bool may = permitted(&q, act, mj_bit(q.win_tile), &demanded) != 0;
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

uint64_t mj_added_kongs(const mj_place *seat)
{
    uint64_t kinds = 0;
    if (!(seat->melded & seat->held[0]))
        return 0;
    for (unsigned i = 0; i < seat->n_melds; i++)
        if (seat->melds[i].type == MJ_PUNG && seat->tiles[seat->melds[i].tile])
            kinds |= mj_bit(seat->melds[i].tile);
    return kinds;
}

mj_status mj_turn_moves(const mj_book *book, mj_table *t, uint64_t *moves)
{
    const unsigned number = t->actor;
    const mj_place *seat = &t->seats[number];
    uint64_t must_discard = 0, must_concealed = 0, must_added = 0;
    bool must_win = false, may_win = false;
    const uint64_t discards = permitted_move(book, t, number, MJ_A_DISCARD, seat->held[0], &must_discard);
    uint64_t concealed_kongs = 0, added = 0;
    if (mj_left(t) > 0) {
        concealed_kongs = permitted_kongs(book, t, number, MJ_A_CONCEALED_KONG, seat->held[3], &must_concealed);
        added = permitted_kongs(book, t, number, MJ_A_ADDED_KONG, mj_added_kongs(seat), &must_added);
    }
    if (may_be_complete(book, t, number))
        may_win = permitted_win(book, t, number, MJ_A_SELF_DRAW, &must_win);
    const bool must = must_win || must_discard || must_concealed || must_added;
    memset(moves, 0, MJ_MOVE_WORDS * sizeof *moves);
    moves[0] = must ? must_discard : discards;
    if (concealed_kongs | added) {
        add_moves(moves, MJ_M_CONCEALED_KONG, must ? must_concealed : concealed_kongs);
        add_moves(moves, MJ_M_ADDED_KONG, must ? must_added : added);
    }
    if (must ? must_win : may_win)
        add_move(moves, MJ_M_WIN);
    return moves[0] | moves[1] ? MJ_OK : MJ_NO_MOVE;
}

/* What a seat may answer to the tile on the table. */
void mj_claim_moves(const mj_book *book, mj_table *t, unsigned number, uint64_t *moves)
{
    mj_place *seat = &t->seats[number];
    const uint64_t bit = mj_bit(t->tile);
    const bool may_pung = !t->robbing && (seat->held[1] & bit);
    const bool may_kong = !t->robbing && (seat->held[2] & bit) && mj_left(t);
    const unsigned chows = t->robbing || !book->may[MJ_A_CHOW].is_there
        ? 0 : mj_chow_places(seat, t->tile);
    const bool waits = mj_waits_of(book, t, number) & bit;
    if (!may_pung && !chows && !waits)
        return;
    uint64_t must_pung = 0, must_kong = 0, must_chow = 0;
    bool must_win = false, win = false;
    uint64_t pung = 0, kong = 0, chow = 0;
    if (waits)
        win = permitted_win(book, t, number, t->robbing ? MJ_A_ROB : MJ_A_DISCARD_WIN, &must_win);
    if (may_kong)
        kong = permitted_kongs(book, t, number, MJ_A_DIRECT_KONG, bit, &must_kong);
    if (may_pung)
        pung = permitted_move(book, t, number, MJ_A_PUNG, bit, &must_pung);
    if (chows)
        chow = permitted_move(book, t, number, MJ_A_CHOW, bit, &must_chow);
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
    if (permitted_move(book, t, number, MJ_A_PASS, bit, &ignored))
        add_move(moves, MJ_M_PASS);
}

static uint64_t swappable(const mj_book *book, const mj_place *seat)
{
    if (book->spec.swap == 2)
        return seat->held[0];
    uint64_t kinds = 0;
    if (seat->n_given > 0) {
        kinds = seat->held[0] & mj_suit_kinds(mj_suit_of(seat->given[0]));
        return kinds ? kinds : seat->held[0];
    }
    for (unsigned suit = 0; suit < MJ_SUITS; suit++)
        kinds |= mj_suit_size(seat, suit) >= 3 ? seat->held[0] & mj_suit_kinds(suit) : 0;
    return kinds ? kinds : seat->held[0];
}

bool mj_from_front(const mj_book *book, const mj_table *t)
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
        add_move(moves, MJ_M_DRAW + t->wall[mj_from_front(book, t) ? t->front : t->back - 1]);
        return MJ_OK;
    case MJ_P_CLAIM:
        moves[1] = t->asked[number][0];
        moves[2] = t->asked[number][1];
        return MJ_OK;
    default:
        return mj_turn_moves(book, t, moves);
    }
}
