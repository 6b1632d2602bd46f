/* A game's events, one after the other.
 *
 * An event is judged, its words are set, its code is run and its lines post; only then does it
 * change the table.  Between events the words of events say nothing, and so they do for the code
 * that asks whether the hand is over.
 */
#include <string.h>

#include "settle.h"

/* ---- what an event may say ----------------------------------------------------- */

enum {
    FLAGS_OF_WINS = MJ_FLAG_AFTER_KONG | MJ_FLAG_KONG_CHAIN | MJ_FLAG_LAST_TILE | MJ_FLAG_FIRST_TURN
                    | MJ_FLAG_STATED
};

typedef struct event_form {
    bool has_seat;
    bool has_from;
    bool has_winners;
    bool has_several;
    uint8_t kong;             /* as MJ_W_KONG_KIND */
    uint16_t flags;
} event_form;

static const event_form forms[MJ_E_HAND_OVER] = {
    [MJ_E_CONCEALED_KONG] = {.has_seat = true, .kong = 3},
    [MJ_E_DIRECT_KONG] = {.has_seat = true, .has_from = true, .kong = 1},
    [MJ_E_ADDED_KONG] = {.has_seat = true, .kong = 2, .flags = MJ_FLAG_LATE | MJ_FLAG_ROBBED},
    [MJ_E_SELF_DRAW] = {.has_winners = true, .flags = FLAGS_OF_WINS},
    [MJ_E_DISCARD_WIN] = {.has_from = true, .has_winners = true, .has_several = true, .flags = FLAGS_OF_WINS},
    [MJ_E_ROBBED_KONG] = {.has_from = true, .has_winners = true, .has_several = true, .flags = FLAGS_OF_WINS},
    [MJ_E_FALSE_WIN] = {.has_seat = true},
    [MJ_E_DRAWN] = {0},
};

static inline unsigned one(unsigned seat)
{
    return seat < MJ_SEATS ? 1u << seat : 0;
}

static inline bool is_within_limit(int64_t value)
{
    return value >= -MJ_LIMIT && value <= MJ_LIMIT;
}

static bool is_event(const mj_settling *s, const mj_event *e)
{
    if (e->kind >= MJ_E_HAND_OVER)
        return false;
    const event_form *form = &forms[e->kind];
    if (form->has_seat ? e->seat >= s->players : e->seat != MJ_NONE)
        return false;
    if (form->has_from ? e->from >= s->players : e->from != MJ_NONE)
        return false;
    const unsigned winners = e->winners;
    if (winners & ~s->table || (winners != 0) != form->has_winners
        || (winners & (winners - 1) && !form->has_several))
        return false;
    if (e->flags & ~form->flags || e->spare != 0)
        return false;
    if (e->flags & MJ_FLAG_KONG_CHAIN && !(e->flags & MJ_FLAG_AFTER_KONG))
        return false;
    return (one(e->from) & (winners | one(e->seat))) == 0;
}

/* Who konged before a win after a kong; nobody before a robbed kong, which has not come about. */
static inline unsigned konger_before(const mj_event *e)
{
    if (!(e->flags & MJ_FLAG_AFTER_KONG) || e->kind == MJ_E_ROBBED_KONG)
        return MJ_NONE;
    return e->kind == MJ_E_SELF_DRAW ? mj_lowest(e->winners) : e->from;
}

static mj_status check_event(const mj_settling *s, const mj_event *e)
{
    if (!is_event(s, e))
        return MJ_BAD_EVENT;
    if (s->is_over || s->is_drawn)
        return MJ_BAD_ORDER;
    if (s->robbed != 0 && (e->kind != MJ_E_ROBBED_KONG || one(e->from) != s->robbed))
        return MJ_BAD_ORDER;
    const unsigned acting = one(e->seat) | one(e->from) | e->winners;
    if (acting & s->won && !s->flows->winners_stay)
        return MJ_BAD_ORDER;
    const unsigned konger = konger_before(e);
    if (konger != MJ_NONE && s->kongs[konger].kind == 0)
        return MJ_BAD_ORDER;
    if (e->kind == MJ_E_DRAWN)
        for (unsigned seat = 0; seat < s->players; seat++)
            if (!(s->won >> seat & 1)
                && (s->game->states[seat] < MJ_S_READY || s->game->states[seat] > MJ_S_PIG))
                return MJ_BAD_STATE;
    for (unsigned winners = e->winners; winners != 0; winners &= winners - 1)
        if (!is_within_limit(e->worth[mj_lowest(winners)]))
            return MJ_BAD_AMOUNT;
    return MJ_OK;
}

/* ---- words ----------------------------------------------------------------------- */

static inline void set_row(mj_settling *s, unsigned row, int64_t value)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        s->seats.rows[row][i] = value;
}

static void clear_words(mj_settling *s)
{
    uint8_t *sets = s->seats.sets;
    memset(sets + MJ_W_WINNER, 0, MJ_W_FIRST_WINNER - MJ_W_WINNER);
    memset(sets + MJ_W_READY, 0, MJ_SET_ALWAYS - MJ_W_READY);
    set_row(s, MJ_ROW_KONG_KIND, 0);
    set_row(s, MJ_ROW_WORTH, 0);
}

static void set_won(mj_settling *s, unsigned won)
{
    uint8_t *sets = s->seats.sets;
    s->won = (uint8_t)won;
    sets[MJ_W_WON] = s->won;
    sets[MJ_W_UNWON] = (uint8_t)(s->table & ~won);
    sets[MJ_W_IN_PLAY] = s->flows->winners_stay ? s->table : sets[MJ_W_UNWON];
}

static void set_states(mj_settling *s)
{
    uint8_t *sets = s->seats.sets;
    const unsigned unwon = sets[MJ_W_UNWON];
    for (unsigned seat = 0; seat < s->players; seat++) {
        const unsigned state = s->game->states[seat];
        if (state >= MJ_S_READY && state <= MJ_S_PIG)
            sets[MJ_W_READY + state - MJ_S_READY] |= (uint8_t)(1u << seat & unwon);
    }
}

/* The first of a set that is not empty, in turn order after a seat. */
static unsigned nearest(const mj_settling *s, unsigned set, unsigned after)
{
    const unsigned beyond = set & ~((2u << after) - 1) & s->table;
    return mj_lowest(beyond != 0 ? beyond : set);
}

static inline uint8_t everywhere(unsigned truth)
{
    return truth ? MJ_EVERY_SEAT : 0;
}

static void set_win_words(mj_settling *s, const mj_event *e)
{
    uint8_t *sets = s->seats.sets;
    sets[MJ_W_WINNER] = e->winners;
    sets[MJ_W_SELF_DRAW] = everywhere(e->kind == MJ_E_SELF_DRAW);
    sets[MJ_W_DISCARD_WIN] = everywhere(e->kind == MJ_E_DISCARD_WIN);
    sets[MJ_W_ROBBED_KONG] = everywhere(e->kind == MJ_E_ROBBED_KONG);
    sets[MJ_W_AFTER_KONG] = everywhere(e->flags & MJ_FLAG_AFTER_KONG);
    sets[MJ_W_KONG_CHAIN] = everywhere(e->flags & MJ_FLAG_KONG_CHAIN);
    sets[MJ_W_LAST_TILE] = everywhere(e->flags & MJ_FLAG_LAST_TILE);
    sets[MJ_W_FIRST_TURN] = everywhere(e->flags & MJ_FLAG_FIRST_TURN);
    sets[MJ_W_STATED] = everywhere(e->flags & MJ_FLAG_STATED);
    if (e->kind == MJ_E_DISCARD_WIN)
        sets[MJ_W_DISCARDER] = (uint8_t)one(e->from);
    if (e->kind == MJ_E_ROBBED_KONG)
        sets[MJ_W_KONGER] = (uint8_t)one(e->from);
    const unsigned konger = konger_before(e);
    if (konger != MJ_NONE) {
        sets[MJ_W_KONGER] = (uint8_t)one(konger);
        sets[MJ_W_FEEDER] = s->kongs[konger].feeder;
        set_row(s, MJ_ROW_KONG_KIND, s->kongs[konger].kind);
    }
    s->first = (uint8_t)(e->from != MJ_NONE ? e->from : mj_lowest(e->winners));
    sets[MJ_W_NEAREST] = (uint8_t)one(nearest(s, e->winners, s->first));
    for (unsigned seat = 0; seat < MJ_SEATS; seat++)
        s->seats.rows[MJ_ROW_WORTH][seat] = e->winners >> seat & 1 ? e->worth[seat] : 0;
}

static void set_kong_words(mj_settling *s, const mj_event *e)
{
    uint8_t *sets = s->seats.sets;
    sets[MJ_W_KONGER] = (uint8_t)one(e->seat);
    sets[MJ_W_FEEDER] = (uint8_t)one(e->from);
    sets[MJ_W_AT_ONCE] = everywhere(!(e->flags & MJ_FLAG_LATE));
    set_row(s, MJ_ROW_KONG_KIND, forms[e->kind].kong);
    s->first = e->seat;
}

static void set_words(mj_settling *s, const mj_event *e)
{
    if (e->winners != 0) {
        set_win_words(s, e);
    } else if (forms[e->kind].kong != 0) {
        set_kong_words(s, e);
    } else if (e->kind == MJ_E_FALSE_WIN) {
        s->seats.sets[MJ_W_OFFENDER] = (uint8_t)one(e->seat);
        s->first = e->seat;
    } else {
        s->seats.sets[MJ_W_DRAWN] = MJ_EVERY_SEAT;
        set_states(s);
        s->first = s->game->dealer;
    }
}

/* ---- events -------------------------------------------------------------------------- */

static void run_code(mj_settling *s, const mj_flow *flow)
{
    mj_run_seats(&s->seats, s->flows->code + flow->code, flow->n_code, s->table, MJ_NONE);
}

static mj_status fire(mj_settling *s, unsigned kind)
{
    const mj_flow *flow = &s->flows->flows[kind];
    const mj_line *lines = s->flows->lines + flow->lines;
    run_code(s, flow);
    for (uint32_t i = 0; i < flow->n_lines; i++) {
        s->line = (uint16_t)(flow->first + i);
        const mj_status status = mj_post_line(s, &lines[i]);
        if (status != MJ_OK)
            return status;
    }
    s->line = MJ_NO_REGISTER;
    return MJ_OK;
}

/* A robbed kong is its owner's latest, and empty.  It need not have been listed. */
static void note_kong(mj_settling *s, const mj_event *e)
{
    const unsigned kind = forms[e->kind].kong;
    const uint8_t event = (uint8_t)s->event;
    s->kong = MJ_NONE;
    if (kind != 0) {
        s->kong = event;
        s->kongs[e->seat] = (mj_kong){(uint8_t)kind, (uint8_t)one(e->from), event};
    } else if (e->kind == MJ_E_ROBBED_KONG) {
        s->kongs[e->from] = (mj_kong){forms[MJ_E_ADDED_KONG].kong, 0, event};
    }
}

static void finish_event(mj_settling *s, const mj_event *e)
{
    const mj_flows *flows = s->flows;
    uint8_t *sets = s->seats.sets;
    s->robbed = (uint8_t)(e->flags & MJ_FLAG_ROBBED ? one(e->seat) : 0);
    if (e->winners != 0) {
        if (!s->has_first_win && s->game->out == 0) {
            sets[MJ_W_FIRST_WINNER] = e->winners;
            sets[MJ_W_FIRST_DISCARDER] = (uint8_t)one(e->from);
        }
        s->has_first_win = true;
        set_won(s, s->won | e->winners);
    }
    clear_words(s);
    if (e->kind == MJ_E_DRAWN) {
        s->is_drawn = true;
        sets[MJ_W_DRAWN] = MJ_EVERY_SEAT;
        set_states(s);
    }
    run_code(s, &flows->flows[MJ_IS_OVER]);
    s->is_over = sets[flows->is_over] & 1 || (flows->first_win_ends && e->winners != 0);
}

static mj_status take_event(mj_settling *s, const mj_event *e)
{
    mj_status status = check_event(s, e);
    if (status != MJ_OK)
        return status;
    note_kong(s, e);
    if (!(e->flags & MJ_FLAG_ROBBED)) {
        set_words(s, e);
        status = fire(s, e->kind);
        if (status != MJ_OK)
            return status;
    }
    finish_event(s, e);
    return MJ_OK;
}

/* ---- games ------------------------------------------------------------------------------ */

static mj_status check_game(const mj_game *game)
{
    if (game->players < 2 || game->players > MJ_SEATS || game->dealer >= game->players
        || game->out >> game->players != 0 || game->n_horses > MJ_MAX_HORSES)
        return MJ_BAD_ARGUMENT;
    for (unsigned h = 0; h < game->n_horses; h++)
        if (game->horses[h] >= game->players)
            return MJ_BAD_ARGUMENT;
    for (unsigned seat = 0; seat < game->players; seat++) {
        if (game->states[seat] > MJ_S_WON)
            return MJ_BAD_STATE;
        if (!is_within_limit(game->best_call[seat]) || !is_within_limit(game->least_call[seat]))
            return MJ_BAD_AMOUNT;
    }
    return MJ_OK;
}

/* Seats that are not at the table have nothing, whatever stands in the game. */
static void set_game_words(mj_settling *s, const mj_game *game)
{
    const unsigned n = game->players, dealer = game->dealer;
    uint8_t *sets = s->seats.sets;
    mj_row *rows = s->seats.rows;
    sets[MJ_W_DEALER] = (uint8_t)one(dealer);
    sets[MJ_W_NEXT_SEAT] = (uint8_t)one((dealer + 1) % n);
    sets[MJ_W_PREV_SEAT] = (uint8_t)one((dealer + n - 1) % n);
    sets[MJ_W_ACROSS_SEAT] = (uint8_t)(n == 3 ? 0 : one((dealer + n / 2) % n));
    sets[MJ_W_FIRST_WINNER] = sets[MJ_W_FIRST_DISCARDER] = 0;
    for (unsigned seat = 0; seat < MJ_SEATS; seat++) {
        rows[MJ_ROW_BEST_CALL][seat] = seat < n ? game->best_call[seat] : 0;
        rows[MJ_ROW_LEAST_CALL][seat] = seat < n ? game->least_call[seat] : 0;
    }
    for (unsigned slots = s->flows->stances; slots != 0; slots &= slots - 1) {
        const unsigned slot = mj_lowest(slots);
        for (unsigned seat = 0; seat < MJ_SEATS; seat++)
            rows[MJ_ROW_STANCE + slot][seat] = seat < n ? game->stances[seat][slot] : 0;
    }
}

static void start_game(mj_settling *s, const mj_game *game)
{
    s->game = game;
    s->players = game->players;
    s->table = (uint8_t)((1u << game->players) - 1);
    s->robbed = 0;
    s->has_first_win = s->is_drawn = s->is_over = false;
    memset(s->kongs, 0, sizeof s->kongs);
    set_game_words(s, game);
    set_won(s, game->out);
    clear_words(s);
}

static mj_status end_game(mj_settling *s)
{
    s->kong = MJ_NONE;
    s->first = s->game->dealer;
    set_states(s);
    return fire(s, MJ_E_HAND_OVER);
}

static mj_status play(mj_settling *s, const mj_game *game, const mj_event *events, uint64_t n)
{
    s->n_postings = 0;
    s->total = 0;
    memset(s->deltas, 0, sizeof s->deltas);
    s->line = MJ_NO_REGISTER;
    s->event = MJ_NO_REGISTER;
    if (n > MJ_MAX_EVENTS)
        return MJ_BAD_ARGUMENT;
    mj_status status = check_game(game);
    if (status != MJ_OK)
        return status;
    start_game(s, game);
    for (uint64_t i = 0; i < n; i++) {
        s->event = (uint16_t)i;
        status = take_event(s, &events[i]);
        if (status != MJ_OK)
            return status;
    }
    if (s->robbed != 0)
        return MJ_BAD_ORDER;
    s->event = (uint16_t)n;
    return end_game(s);
}

static uint8_t next_dealer(mj_settling *s)
{
    if (!s->flows->names_dealer || s->game->out != 0)
        return MJ_NONE;
    run_code(s, &s->flows->flows[MJ_NEXT_DEALER]);
    const unsigned seats = s->seats.sets[s->flows->next_dealer] & s->table;
    return (uint8_t)(seats != 0 && (seats & (seats - 1)) == 0 ? mj_lowest(seats) : MJ_NONE);
}

static void prepare(mj_settling *s, const mj_flows *flows, mj_posting *postings, uint32_t capacity)
{
    s->flows = flows;
    s->postings = postings;
    s->capacity = capacity;
    s->seats.sets[MJ_SET_ALWAYS] = MJ_EVERY_SEAT;
    memcpy(s->seats.rows[MJ_ROW_CONSTANTS], flows->constants, flows->n_constants * sizeof(mj_row));
}

/* ---- the interface ------------------------------------------------------------------------ */

mj_status mj_settle(const mj_flows *flows, const mj_game *game, const mj_event *events, uint32_t n_events,
                    mj_posting *postings, uint32_t capacity, mj_settlement *out)
{
    if (flows == NULL || game == NULL || out == NULL || (events == NULL && n_events > 0)
        || (postings == NULL && capacity > 0))
        return MJ_BAD_ARGUMENT;
    mj_settling s;
    prepare(&s, flows, postings, capacity);
    const mj_status status = play(&s, game, events, n_events);
    *out = (mj_settlement){
        .next_dealer = MJ_NONE, .status = (uint16_t)status, .event = s.event, .line = s.line};
    if (status != MJ_OK)
        return status;
    memcpy(out->deltas, s.deltas, sizeof out->deltas);
    out->n_postings = s.n_postings;
    out->next_dealer = next_dealer(&s);
    out->is_over = s.is_over;
    return MJ_OK;
}

static bool are_ranges(const uint64_t *starts, uint64_t n, uint64_t n_events)
{
    for (uint64_t i = 0; i < n; i++)
        if (starts[i] > starts[i + 1])
            return false;
    return starts[n] == n_events;
}

mj_status mj_settle_batch(const mj_flows *flows, const mj_game *games, const mj_event *events,
                          const uint64_t *starts, uint64_t n, uint64_t n_events, int64_t *deltas,
                          uint8_t *statuses, uint8_t *next_dealers, mj_posting *postings, uint32_t capacity)
{
    if (flows == NULL || starts == NULL || (events == NULL && n_events > 0)
        || (postings == NULL && capacity > 0)
        || (n > 0 && (games == NULL || deltas == NULL || statuses == NULL))
        || !are_ranges(starts, n, n_events))
        return MJ_BAD_ARGUMENT;
    mj_settling s;
    prepare(&s, flows, postings, capacity);
    for (uint64_t i = 0; i < n; i++) {
        /* Looked at again, in case what is written lies where starts are read. */
        const uint64_t first = starts[i], end = starts[i + 1];
        if (first > end || end > n_events)
            return MJ_BAD_ARGUMENT;
        const mj_event *own = n_events > 0 ? events + first : NULL;
        const mj_status status = play(&s, &games[i], own, end - first);
        int64_t *row = deltas + MJ_SEATS * i;
        statuses[i] = (uint8_t)status;
        memset(row, 0, MJ_SEATS * sizeof *row);
        if (status == MJ_OK)
            memcpy(row, s.deltas, MJ_SEATS * sizeof *row);
        if (next_dealers != NULL)
            next_dealers[i] = status == MJ_OK ? next_dealer(&s) : MJ_NONE;
    }
    return MJ_OK;
}
