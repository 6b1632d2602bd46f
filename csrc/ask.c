/* What the rule file says about moves, for all tiles at once.
 *
 * A truth is the set of kinds for which it holds when they are the tile that the move is about; most do
 * not depend on the tile and are every kind or none.
 */
#include "play.h"

#define EVERY MJ_ALL_KINDS

/* Called by the machine below, which is to stay small enough to be entered for a handful of instructions. */
#define FAR static __attribute__((noinline))

static inline uint64_t truth(bool holds)
{
    return holds ? EVERY : 0;
}

/* ---- who is who -------------------------------------------------------------------- */

static unsigned after(const mj_asker *q, unsigned seat, unsigned places)
{
    const unsigned players = q->book->spec.players;
    for (seat += places; seat >= players;)
        seat -= players;
    return seat;
}

static bool is_win(const mj_asker *q)
{
    return q->event == MJ_E_SELF_DRAW || q->event == MJ_E_DISCARD_WIN || q->event == MJ_E_ROBBED_KONG;
}

static bool is_kong(const mj_asker *q)
{
    return q->event == MJ_E_CONCEALED_KONG || q->event == MJ_E_DIRECT_KONG || q->event == MJ_E_ADDED_KONG;
}

/* Whose kong came before a win after a kong. */
static unsigned konger_before(const mj_asker *q)
{
    return q->event == MJ_E_SELF_DRAW ? q->seat : q->source;
}

static bool is_konger(const mj_asker *q, unsigned seat)
{
    if (is_kong(q))
        return seat == q->seat;
    if (q->event == MJ_E_ROBBED_KONG)
        return seat == q->source;
    return is_win(q) && (q->flags & MJ_FLAG_AFTER_KONG) && seat == konger_before(q);
}

static bool is_feeder(const mj_asker *q, unsigned seat)
{
    if (is_kong(q))
        return seat == q->source;
    return is_win(q) && q->event != MJ_E_ROBBED_KONG && (q->flags & MJ_FLAG_AFTER_KONG)
        && seat == q->table->seats[konger_before(q)].kong_feeder;
}

static bool is_nearest(const mj_asker *q, unsigned seat)
{
    if (!is_win(q))
        return false;
    const unsigned start = q->event == MJ_E_SELF_DRAW ? q->seat : q->source;
    for (unsigned n = q->event == MJ_E_SELF_DRAW ? 0 : 1; n <= q->book->spec.players; n++)
        if (q->winners >> after(q, start, n) & 1)
            return after(q, start, n) == seat;
    return false;
}

static bool is_beside(const mj_asker *q, unsigned seat, unsigned word)
{
    const unsigned players = q->book->spec.players;
    const unsigned from = q->judging ? q->table->dealer : q->seat;
    if (word == MJ_T_NEXT_SEAT)
        return seat == after(q, from, 1);
    if (word == MJ_T_PREV_SEAT)
        return seat == after(q, from, players - 1);
    return players != 3 && seat == after(q, from, players == 2 ? 1 : 2);
}

unsigned mj_kong_kind(const mj_asker *q)
{
    if (q->event == MJ_E_DIRECT_KONG)
        return 1;
    if (q->event == MJ_E_ADDED_KONG)
        return 2;
    if (q->event == MJ_E_CONCEALED_KONG)
        return 3;
    if (is_win(q) && q->event != MJ_E_ROBBED_KONG && (q->flags & MJ_FLAG_AFTER_KONG))
        return q->table->seats[konger_before(q)].kong_kind;
    return 0;
}

/* ---- truths ------------------------------------------------------------------------- */

/* Of a hand that is valued by itself: its owner is the winner, and sits before a discarder. */
static uint64_t alone_word(const mj_asker *q, unsigned word, unsigned seat)
{
    const bool own = seat == q->seat;
    switch (word) {
    case MJ_T_SELF_DRAW: return truth(own && q->event == MJ_E_SELF_DRAW);
    case MJ_T_DISCARD_WIN: return truth(own && q->event == MJ_E_DISCARD_WIN);
    case MJ_T_IN_PLAY: case MJ_T_UNWON: return EVERY;
    case MJ_T_WINNER: case MJ_T_RECEIVER: return truth(own);
    case MJ_T_PAYER: case MJ_T_DISCARDER:
        return truth(seat == after(q, q->seat, 1) && q->event != MJ_E_SELF_DRAW);
    case MJ_T_DEALER:
        if (own || q->table->dealer == q->seat)
            return truth(own && q->table->dealer == q->seat);
        return truth(q->book->spec.players == MJ_SEATS && seat == after(q, q->seat, 3));
    default: return 0;
    }
}

FAR uint64_t word(const mj_asker *q, unsigned w, unsigned places)
{
    const unsigned seat = after(q, q->seat, places);
    const mj_table *t = q->table;
    const mj_place *place = &t->seats[seat];
    if (w == MJ_T_CLOSED) {
        for (unsigned i = 0; i < place->n_melds; i++)
            if (place->melds[i].type != MJ_CONCEALED_KONG)
                return 0;
        return truth(seat == q->seat);
    }
    if (q->alone)
        return alone_word(q, w, seat);
    switch (w) {
    case MJ_T_SELF_DRAW: return truth(q->event == MJ_E_SELF_DRAW);
    case MJ_T_DISCARD_WIN: return truth(q->event == MJ_E_DISCARD_WIN);
    case MJ_T_ROBBED_KONG: return truth(q->event == MJ_E_ROBBED_KONG);
    case MJ_T_AFTER_KONG: return truth(q->flags & MJ_FLAG_AFTER_KONG);
    case MJ_T_KONG_CHAIN: return truth(q->flags & MJ_FLAG_KONG_CHAIN);
    case MJ_T_LAST_TILE: return truth(q->flags & MJ_FLAG_LAST_TILE);
    case MJ_T_FIRST_TURN: return truth(q->flags & MJ_FLAG_FIRST_TURN);
    case MJ_T_AT_ONCE:
        return q->event == MJ_E_ADDED_KONG ? t->seats[q->seat].fresh : truth(is_kong(q));
    case MJ_T_JUST_PONGED: return truth(!q->judging && place->just_ponged);
    case MJ_T_PASSED_PUNG: return q->judging ? 0 : place->passed_pungs;
    case MJ_T_PASSED_WIN: return truth(!q->judging && place->passed_money >= 0);
    case MJ_T_CHANGES_WAITS: return q->changing;
    case MJ_T_ALL_VOID: return truth(!q->judging && place->void_suit != MJ_NONE && place->all_void);
    case MJ_T_WINNER: return truth(q->winners >> seat & 1);
    case MJ_T_DISCARDER:
        return truth(seat == q->source && (!q->judging || q->event == MJ_E_DISCARD_WIN));
    case MJ_T_KONGER: return truth(is_konger(q, seat));
    case MJ_T_FEEDER: return truth(is_feeder(q, seat));
    case MJ_T_NEAREST: return truth(is_nearest(q, seat));
    case MJ_T_FIRST_WINNER: return truth(t->first_winners >> seat & 1);
    case MJ_T_FIRST_DISCARDER: return truth(t->first_discarders >> seat & 1);
    case MJ_T_DEALER: return truth(t->dealer == seat);
    case MJ_T_PREV_SEAT: case MJ_T_ACROSS_SEAT: case MJ_T_NEXT_SEAT: return truth(is_beside(q, seat, w));
    case MJ_T_UNWON: return truth(!(t->won >> seat & 1));
    case MJ_T_WON: return truth(t->won >> seat & 1);
    case MJ_T_IN_PLAY: return truth(mj_plays(q->book, t, seat));
    default: return 0;
    }
}

/* ---- numbers of the hand --------------------------------------------------------------- */

static inline uint64_t class_kinds(const mj_asker *q, unsigned number)
{
    return mj_class_kinds(q->book, &q->table->seats[q->seat], number);
}

/* A winning tile that is another's belongs to the hand that it completes. */
static unsigned claimed(const mj_asker *q)
{
    return is_win(q) && q->event != MJ_E_SELF_DRAW ? q->win_tile : MJ_NONE;
}

uint64_t mj_asked_kinds(const mj_asker *q)
{
    const mj_place *own = &q->table->seats[q->seat];
    const unsigned extra = claimed(q);
    return own->held[0] | own->melded | (extra != MJ_NONE ? mj_bit(extra) : 0);
}

static void copies_of(const mj_asker *q, uint8_t copies[MJ_KINDS])
{
    const mj_place *own = &q->table->seats[q->seat];
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        copies[kind] = own->tiles[kind];
    for (unsigned i = 0; i < own->n_melds; i++) {
        const mj_group meld = own->melds[i];
        if (meld.type == MJ_CHOW)
            for (unsigned k = 0; k < 3; k++)
                copies[meld.tile + k] += 1;
        else
            copies[meld.tile] += meld.type == MJ_PUNG ? 3 : 4;
    }
    if (claimed(q) != MJ_NONE)
        copies[claimed(q)] += 1;
}

FAR unsigned tiles_in(const mj_asker *q, uint64_t kinds)
{
    uint8_t copies[MJ_KINDS];
    copies_of(q, copies);
    unsigned n = 0;
    for (uint64_t rest = kinds & MJ_ALL_KINDS; rest != 0; rest &= rest - 1)
        n += copies[mj_lowest(rest)];
    return n;
}

static unsigned suits_in(uint64_t kinds, unsigned suits)
{
    unsigned n = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
        n += suits >> suit & 1 && (kinds >> (MJ_RANKS * suit) & 0x1ff) != 0;
    return n;
}

static bool compares(unsigned how, int64_t a, int64_t b)
{
    switch (how) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
    }
}

FAR unsigned kinds_with(const mj_asker *q, bool unkonged, unsigned how, int64_t value)
{
    uint8_t copies[MJ_KINDS];
    copies_of(q, copies);
    const mj_place *own = &q->table->seats[q->seat];
    uint64_t held = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        held |= copies[kind] ? mj_bit(kind) : 0;
    if (unkonged)
        for (unsigned i = 0; i < own->n_melds; i++)
            if (mj_is_a(own->melds[i], MJ_KONGS))
                copies[own->melds[i].tile] = 0;
    unsigned n = 0;
    for (uint64_t rest = held; rest != 0; rest &= rest - 1)
        n += compares(how, copies[mj_lowest(rest)], value);
    return n;
}

static unsigned kongs_of(const mj_place *own)
{
    unsigned n = 0;
    for (unsigned i = 0; i < own->n_melds; i++)
        n += mj_is_a(own->melds[i], MJ_KONGS);
    return n;
}

static unsigned concealed_of(const mj_asker *q)
{
    const mj_place *own = &q->table->seats[q->seat];
    unsigned n = claimed(q) != MJ_NONE;
    for (uint64_t rest = own->held[0]; rest != 0; rest &= rest - 1)
        n += own->tiles[mj_lowest(rest)];
    return n;
}

static int64_t hand_value(const mj_asker *q, unsigned w)
{
    const mj_place *own = &q->table->seats[q->seat];
    switch (w) {
    case MJ_T_SUIT_COUNT: return suits_in(mj_asked_kinds(q), 7);
    case MJ_T_CONCEALED: return concealed_of(q);
    case MJ_T_EXPOSED: return own->n_melds;
    case MJ_T_KONGS: return kongs_of(own);
    case MJ_T_VOID_COUNT:
        return own->void_suit < MJ_HONOURS ? tiles_in(q, q->book->void_kinds[own->void_suit]) : 0;
    case MJ_T_ROOTS: return kinds_with(q, false, 0, 4);
    case MJ_T_FAN: return q->worth ? q->worth->totals[MJ_FAN] : 0;
    case MJ_T_TIMES: return q->worth ? q->worth->totals[MJ_TIMES] : 1;
    case MJ_T_POINT: return q->worth ? q->worth->totals[MJ_POINT] : 0;
    case MJ_T_BASE: return q->worth ? q->worth->totals[MJ_BASE] : 0;
    case MJ_T_OWN_WIN: case MJ_T_OWN_WIN_ALL: {
        if (q->win_tile == MJ_NONE)
            return 0;
        uint8_t copies[MJ_KINDS];
        copies_of(q, copies);
        if (w == MJ_T_OWN_WIN_ALL)
            return copies[q->win_tile] - 1;
        return (int64_t)own->tiles[q->win_tile] + (claimed(q) != MJ_NONE) - 1;
    }
    default: return 0;
    }
}

FAR int64_t value(const mj_asker *q, unsigned w, unsigned places)
{
    const mj_place *place = &q->table->seats[after(q, q->seat, places)];
    if (w == MJ_T_KONG_KIND)
        return q->alone ? 0 : mj_kong_kind(q);
    if (w >= MJ_T_SUIT_COUNT)
        return places == 0 ? hand_value(q, w) : w == MJ_T_TIMES ? hand_value(q, w) : 0;
    if (q->alone)
        return 0;
    switch (w) {
    case MJ_T_WALL_LEFT: return q->left;
    case MJ_T_PASSED_FAN: return q->judging ? 0 : place->passed_fan;
    case MJ_T_PASSED_MONEY: return q->judging ? 0 : place->passed_money;
    default: return 0;
    }
}

/* ---- code -------------------------------------------------------------------------------- */

FAR uint64_t word_of(const mj_asker *q, unsigned w, unsigned places, unsigned role)
{
    uint64_t set = 0;
    for (unsigned n = 0; n < q->book->spec.players; n++)
        if (word(q, role, (places + n) % q->book->spec.players))
            set |= word(q, w, (places + n) % q->book->spec.players);
    return set;
}

static unsigned seats_with(const mj_asker *q, unsigned w)
{
    unsigned n = 0;
    if (w == MJ_T_WON && !q->alone)
        return mj_count(q->table->won);
    for (unsigned places = 0; places < q->book->spec.players; places++)
        n += word(q, w, places) != 0;
    return n;
}

FAR int64_t value_of(const mj_asker *q, unsigned w, unsigned places, unsigned role)
{
    int64_t most = 0;
    bool any = false;
    for (unsigned n = 0; n < q->book->spec.players; n++)
        if (word(q, role, (places + n) % q->book->spec.players)) {
            const int64_t v = value(q, w, (places + n) % q->book->spec.players);
            most = any && most > v ? most : v;
            any = true;
        }
    return most;
}

FAR int64_t stance_of(const mj_asker *q, unsigned slot, unsigned places, unsigned role)
{
    for (unsigned n = 0; n < q->book->spec.players; n++)
        if (word(q, role, (places + n) % q->book->spec.players))
            return q->table->seats[after(q, q->seat, places + n)].stances[slot];
    return q->table->seats[after(q, q->seat, places)].stances[slot];
}

FAR uint64_t from(const mj_asker *q, unsigned seats)
{
    if (q->source == MJ_NONE)
        return 0;
    const unsigned players = q->book->spec.players;
    const unsigned places = (q->source + players - q->seat) % players;
    const unsigned bit = places == players - 1 ? 2 : places == 1 ? 0 : 1;
    return truth(seats >> bit & 1);
}

void mj_answer(mj_asker *q, const mj_op *ops, uint32_t n_ops)
{
    int64_t *n = q->numbers;
    uint64_t *s = q->sets;
    for (const mj_op *op = ops, *end = ops + n_ops; op < end; op++) {
        const unsigned dst = op->dst, a = op->a, b = op->b, c = op->c;
        switch (op->op) {
        case MJ_Q_NUMBER: n[dst] = q->book->constants[a]; break;
        case MJ_Q_TRUTH: s[dst] = truth(a); break;
        case MJ_Q_WORD: s[dst] = word(q, a, b); break;
        case MJ_Q_WORD_OF: s[dst] = word_of(q, a, b, c); break;
        case MJ_Q_VALUE: n[dst] = value(q, a, b); break;
        case MJ_Q_VALUE_OF: n[dst] = value_of(q, a, b, c); break;
        case MJ_Q_STANCE: n[dst] = q->table->seats[after(q, q->seat, b)].stances[a]; break;
        case MJ_Q_STANCE_OF: n[dst] = stance_of(q, a, b, c); break;
        case MJ_Q_THIS_IN: s[dst] = class_kinds(q, a); break;
        case MJ_Q_WIN_IN: s[dst] = truth(q->win_tile != MJ_NONE && class_kinds(q, a) >> q->win_tile & 1); break;
        case MJ_Q_FROM: s[dst] = from(q, a); break;
        case MJ_Q_KONG_KIND: s[dst] = truth(a >> (q->alone ? 0 : mj_kong_kind(q)) & 1); break;
        case MJ_Q_SOME: s[dst] = truth(mj_asked_kinds(q) & class_kinds(q, a)); break;
        case MJ_Q_ALL: s[dst] = truth(mj_asked_kinds(q) != 0 && !(mj_asked_kinds(q) & ~class_kinds(q, a))); break;
        case MJ_Q_TILES: n[dst] = tiles_in(q, class_kinds(q, a)); break;
        case MJ_Q_KINDS: n[dst] = mj_size(mj_asked_kinds(q) & class_kinds(q, a)); break;
        case MJ_Q_SUITS: n[dst] = suits_in(mj_asked_kinds(q), a); break;
        case MJ_Q_SEATS: n[dst] = seats_with(q, a); break;
        case MJ_Q_COPIES: n[dst] = kinds_with(q, a, b, n[c]); break;
        case MJ_Q_ADD: n[dst] = mj_held_sum(n[a], n[b]); break;
        case MJ_Q_SUB: n[dst] = mj_held_sum(n[a], -n[b]); break;
        case MJ_Q_MUL: n[dst] = mj_held_product(n[a], n[b]); break;
        case MJ_Q_POW: n[dst] = mj_held_power(n[a], n[b]); break;
        case MJ_Q_MIN: n[dst] = n[a] < n[b] ? n[a] : n[b]; break;
        case MJ_Q_MAX: n[dst] = n[a] > n[b] ? n[a] : n[b]; break;
        case MJ_Q_EQ: s[dst] = truth(n[a] == n[b]); break;
        case MJ_Q_NE: s[dst] = truth(n[a] != n[b]); break;
        case MJ_Q_LT: s[dst] = truth(n[a] < n[b]); break;
        case MJ_Q_LE: s[dst] = truth(n[a] <= n[b]); break;
        case MJ_Q_AND: s[dst] = s[a] & s[b]; break;
        case MJ_Q_OR: s[dst] = s[a] | s[b]; break;
        case MJ_Q_NOT: s[dst] = ~s[a] & EVERY; break;
        case MJ_Q_AND_NOT: s[dst] = s[a] & ~s[b]; break;
        case MJ_Q_SELECT: n[dst] = s[a] ? n[b] : n[c]; break;
        case MJ_Q_SELECT_SET: s[dst] = (s[a] & s[b]) | (~s[a] & s[c]); break;
        case MJ_Q_ONE: n[dst] = s[a] != 0; break;
        }
    }
}

void mj_ask_code(mj_asker *q, const mj_question *question)
{
    mj_answer(q, q->book->code + question->code, question->n_code);
}
