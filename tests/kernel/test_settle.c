/* Settlement: who pays whom at each event, and what becomes of it later. */
#include "flowbook.h"

enum { CONCEALED = MJ_E_CONCEALED_KONG, DIRECT = MJ_E_DIRECT_KONG, ADDED = MJ_E_ADDED_KONG };
enum { DISCARD = MJ_E_DISCARD_WIN, ROBBED = MJ_E_ROBBED_KONG, NOBODY = MJ_NONE };
enum { AFTER_KONG = MJ_FLAG_AFTER_KONG };

static mj_flows *usual(transfer transfer, bool winners_stay)
{
    static flowbook b;
    start_usual(&b, transfer, winners_stay);
    return flows_of(&b);
}

/* ---- kongs and wins --------------------------------------------------------------- */

static void test_payments(void)
{
    mj_flows *flows = usual(STAYS, false);
    const mj_game game = game_of(4, 2);
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 1, NOBODY, 0)),
               "0: 2>1 2 3>1 2 0>1 2\n= -2 6 -2 -2, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 1, 3, 0)), "0: 3>1 2\n= 0 2 0 -2, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(ADDED, 3, NOBODY, 0)),
               "0: 0>3 1 1>3 1 2>3 1\n= -1 -1 -1 3, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(ADDED, 3, NOBODY, MJ_FLAG_LATE)), "= 0 0 0 0, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 4, 0)), "0: 1>0 4 2>0 4 3>0 4\n= 12 -4 -4 -4, dealer 0\n");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 3, 1 << 0, 4, 0)), "0: 3>0 4\n= 4 0 0 -4, dealer 0\n");
    CHECK_TEXT(LEDGER(flows, &game, foul(3)), "0: 3>0 8 3>1 8 3>2 8\n= 8 8 8 -24, dealer 2\n");
    CHECK_TEXT(ledger_of(flows, &game, NULL, 0), "= 0 0 0 0, dealer 2\n");
    mj_flows_free(flows);
}

/* The winners of one tile come in turn order from the discarder; two at once make him the dealer. */
static void test_several_winners(void)
{
    mj_flows *flows = usual(STAYS, false);
    const mj_game game = game_of(4, 0);
    mj_event e = win(DISCARD, 2, 1 << 0 | 1 << 1 | 1 << 3, 0, 0);
    e.worth[0] = 5, e.worth[1] = 6, e.worth[2] = 99, e.worth[3] = 7;
    CHECK_TEXT(LEDGER(flows, &game, e), "0: 2>3 7 2>0 5 2>1 6\n= 5 6 -18 7, dealer 2, over\n");
    mj_flows_free(flows);
}

/* Who has won pays no more and is paid no more; the hand ends with the third winner. */
static void test_winners_leave(void)
{
    mj_flows *flows = usual(STAYS, false);
    const mj_game game = game_of(4, 0);
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 1, 1 << 0, 1, 0), self_draw(1, 2, 0),
                      kong(CONCEALED, 3, NOBODY, 0), self_draw(2, 4, 0)),
               "0: 1>0 1\n1: 2>1 2 3>1 2\n2: 2>3 2\n3: 3>2 4\n= 1 3 0 -4, dealer 0, over\n");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), self_draw(0, 1, 0)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), win(DISCARD, 0, 1 << 1, 1, 0)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), kong(DIRECT, 1, 0, 0)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), kong(ADDED, 0, NOBODY, 0)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), foul(0)), "bad order at event 1");
    mj_flows_free(flows);
}

static void test_winners_stay(void)
{
    mj_flows *flows = usual(STAYS, true);
    const mj_game game = game_of(4, 0);
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), win(DISCARD, 0, 1 << 1 | 1 << 2, 2, 0),
                      self_draw(0, 1, 0), kong(DIRECT, 1, 0, 0)),
               "0: 1>0 1 2>0 1 3>0 1\n1: 0>1 2 0>2 2\n2: 1>0 1 2>0 1 3>0 1\n3: 0>1 2\n= 0 2 0 -2, dealer 0\n");
    mj_flows_free(flows);
}

/* Seats that had won before the first event are out, and then nobody knows who won first. */
static void test_seats_out(void)
{
    mj_flows *flows = usual(STAYS, false);
    mj_game game = game_of(4, 0);
    game.out = 1 << 1 | 1 << 2;
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 0, NOBODY, 0)), "0: 3>0 2\n= 2 0 0 -2\n");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(3, 2, 0)), "0: 0>3 2\n= -2 0 0 2, over\n");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(1, 2, 0)), "bad order at event 0");
    mj_flows_free(flows);
}

static void test_fewer_players(void)
{
    mj_flows *flows = usual(STAYS, false);
    mj_game game = game_of(3, 1);
    /* what stands for a fourth seat is nobody's */
    game.states[3] = MJ_S_PIG;
    game.best_call[3] = INT64_MIN;
    game.horses[3] = 200;
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 2, NOBODY, 0), self_draw(0, 3, 0)),
               "0: 0>2 2 1>2 2\n1: 1>0 3 2>0 3\n= 4 -5 1 0, dealer 0\n");
    game.states[0] = MJ_S_PIG, game.states[1] = MJ_S_READY, game.states[2] = MJ_S_NOT_READY;
    game.best_call[1] = 5;
    CHECK_TEXT(LEDGER(flows, &game, drawn()), "0: 0>1 16 0>2 16 2>1 5\n= -32 21 11 0, dealer 1, over\n");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(3, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 3, 1 << 0, 1, 0)), "bad event at event 0");
    mj_flows_free(flows);
}

/* ---- the money of kongs ---------------------------------------------------------------- */

static void test_transfer(void)
{
    const mj_game game = game_of(4, 0);
    const unsigned two = 1 << 1 | 1 << 3;
    mj_flows *flows = usual(TO_EACH, false);
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 0, NOBODY, 0), win(DISCARD, 0, 1 << 2, 2, AFTER_KONG)),
               "0: 1>0 2~ 2>0 2~ 3>0 2~\n1: 0>2 6 0>2 2\n= -2 -2 6 -2, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 0, NOBODY, 0), win(DISCARD, 0, two, 2, AFTER_KONG)),
               "0: 1>0 2~ 2>0 2~ 3>0 2~\n1: 0>1 6 0>3 6 0>1 2 0>3 2\n= -10 6 -2 6, dealer 0\n");
    /* only the kong before, and only when it was one */
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 0, NOBODY, 0), kong(DIRECT, 0, 2, 0),
                      win(DISCARD, 0, 1 << 1, 1, AFTER_KONG)),
               "0: 1>0 2 2>0 2 3>0 2\n1: 2>0 2~\n2: 0>1 2 0>1 1\n= 5 1 -4 -2, dealer 1\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 0, 2, 0), win(DISCARD, 0, 1 << 1, 1, 0)),
               "0: 2>0 2\n1: 0>1 1\n= 1 1 -2 0, dealer 1\n");
    /* a late kong brought nothing, so nothing goes on */
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 0, 2, 0), kong(ADDED, 0, NOBODY, MJ_FLAG_LATE),
                      win(DISCARD, 0, 1 << 1, 1, AFTER_KONG)),
               "0: 2>0 2\n2: 0>1 1\n= 1 1 -2 0, dealer 1\n");
    mj_flows_free(flows);

    flows = usual(TO_NEAREST, false);
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 2, NOBODY, 0), win(DISCARD, 2, two, 2, AFTER_KONG)),
               "0: 3>2 2~ 0>2 2~ 1>2 2~\n1: 2>3 6 2>3 2 2>1 2\n= -2 0 -4 6, dealer 2\n");
    mj_flows_free(flows);

    flows = usual(BACK, false);
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 0, NOBODY, 0), win(DISCARD, 0, 1 << 1, 2, AFTER_KONG)),
               "0: 1>0 2- 2>0 2- 3>0 2-\n1: 0>1 2 0>2 2 0>3 2 0>1 2\n= -2 2 0 0, dealer 1\n");
    mj_flows_free(flows);
}

/* Shares are whole; the nearest get what is left over. */
static void test_transfer_evenly(void)
{
    static flowbook b;
    const mj_game game = game_of(4, 0);
    start_usual(&b, EVENLY, false);
    b.constants[2] = 3;   /* a concealed kong brings nine */
    mj_flows *flows = flows_of(&b);
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 2, NOBODY, 0),
                      win(DISCARD, 2, 1 << 1 | 1 << 3, 1, AFTER_KONG)),
               "0: 3>2 3~ 0>2 3~ 1>2 3~\n1: 2>3 5 2>1 4 2>3 1 2>1 1\n= -3 2 -2 3, dealer 2\n");
    mj_flows_free(flows);
    b.constants[1] = 0, b.constants[2] = 1;   /* and a direct one a single one */
    flows = flows_of(&b);
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 2, 1, 0), win(DISCARD, 2, 11, 1, AFTER_KONG)),
               "0: 1>2 1~\n1: 2>3 1 2>3 1 2>0 1 2>1 1\n= 1 0 -3 2, dealer 2, over\n");
    mj_flows_free(flows);
}

/* What was handed on is not given back as well, unless the rules take it from the konger's pocket. */
static void test_refund(void)
{
    static flowbook b;
    mj_game game = game_of(4, 0);
    const uint8_t states[] = {MJ_S_NOT_READY, MJ_S_WON, MJ_S_READY, MJ_S_READY};
    memcpy(game.states, states, 4);
    const mj_event events[] = {kong(DIRECT, 0, 2, 0), kong(CONCEALED, 0, NOBODY, 0),
                               win(DISCARD, 0, 1 << 1, 1, AFTER_KONG), kong(DIRECT, 3, 2, 0), drawn()};
    start_usual(&b, TO_EACH, false);
    mj_flows *flows = flows_of(&b);
    CHECK_TEXT(ledger_of(flows, &game, events, 5),
               "0: 2>0 2-\n1: 1>0 2~ 2>0 2~ 3>0 2~\n2: 0>1 6 0>1 1\n3: 2>3 2\n4: 0>2 2\n"
               "= -1 5 -4 0, dealer 1, over\n");
    mj_flows_free(flows);
    start_usual(&b, TO_EACH, false);
    for (unsigned i = 0; i < b.spec.n_lines; i++)
        b.lines[i].moved = b.lines[i].verb == MJ_REFUND;
    flows = flows_of(&b);
    CHECK_TEXT(ledger_of(flows, &game, events, 5),
               "0: 2>0 2-\n1: 1>0 2- 2>0 2- 3>0 2-\n2: 0>1 6 0>1 1\n3: 2>3 2\n4: 0>2 2 0>1 2 0>2 2 0>3 2\n"
               "= -7 7 -2 2, dealer 1, over\n");
    mj_flows_free(flows);
    /* twice the same refund: once the money */
    start_usual(&b, STAYS, false);
    on(&b, MJ_E_HAND_OVER);
    refunds(&b, word(&b, MJ_W_UNWON), KONG_MONEY);
    refunds(&b, word(&b, MJ_W_UNWON), KONG_MONEY);
    flows = flows_of(&b);
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 0, 1, 0), kong(DIRECT, 2, 1, 0), self_draw(2, 1, 0)),
               "0: 1>0 2-\n1: 1>2 2\n2: 3>2 1 0>2 1 1>2 1\n3: 0>1 2\n= -1 -3 5 -1, dealer 2\n");
    mj_flows_free(flows);
}

/* ---- robbed kongs and wins after kongs ---------------------------------------------------- */

static void test_robbed_kong(void)
{
    mj_flows *flows = usual(BACK, true);
    const mj_game game = game_of(4, 0);
    const mj_event robbed = kong(ADDED, 1, NOBODY, MJ_FLAG_ROBBED);
    CHECK_TEXT(LEDGER(flows, &game, robbed, win(ROBBED, 1, 1 << 0 | 1 << 2, 3, 0)),
               "1: 1>2 3 1>0 3\n= 3 -6 3 0, dealer 1\n");
    /* the kong need not be listed */
    CHECK_TEXT(LEDGER(flows, &game, win(ROBBED, 1, 1 << 2, 3, 0)), "0: 1>2 3\n= 0 -3 3 0, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, robbed), "bad order at event 0");
    CHECK_TEXT(LEDGER(flows, &game, robbed, self_draw(2, 1, 0)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, robbed, win(ROBBED, 2, 1 << 0, 1, 0)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, robbed, robbed), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, robbed, win(DISCARD, 1, 1 << 0, 1, 0)), "bad order at event 1");
    mj_flows_free(flows);

    /* Listed or not, the robbed kong is the latest one, and empty: the one before stays paid. */
    static flowbook b;
    start_usual(&b, STAYS, true);
    on(&b, MJ_E_ROBBED_KONG);
    refunds(&b, word(&b, MJ_W_KONGER), MJ_THIS_KONG);
    flows = flows_of(&b);
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 1, 3, 0), win(ROBBED, 1, 1 << 2, 3, 0)),
               "0: 3>1 2\n= 0 2 0 -2, dealer 2\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 1, 3, 0), robbed, win(ROBBED, 1, 1 << 2, 3, 0)),
               "0: 3>1 2\n= 0 2 0 -2, dealer 2\n");
    mj_flows_free(flows);
}

/* A win after a kong knows whose kong it was, of what kind, and who had discarded into it. */
static void test_after_kong(void)
{
    static flowbook b;
    const mj_game game = game_of(4, 0);
    start_usual(&b, STAYS, true);
    for (unsigned kind = MJ_E_SELF_DRAW; kind <= MJ_E_ROBBED_KONG; kind++) {
        on(&b, kind);
        const uint16_t kong_kind = word(&b, MJ_W_KONG_KIND), konger = word(&b, MJ_W_KONGER);
        pays(&b, word(&b, MJ_W_FEEDER), word(&b, MJ_W_WINNER), word(&b, MJ_W_WORTH));
        pays(&b, konger, word(&b, MJ_W_ACROSS_SEAT), kong_kind)->when = word(&b, MJ_W_AFTER_KONG);
        pays(&b, word(&b, MJ_W_WINNER), word(&b, MJ_W_DEALER), kong_kind)->when = word(&b, MJ_W_KONG_CHAIN);
    }
    mj_flows *flows = flows_of(&b);
    const mj_event direct = kong(DIRECT, 3, 1, 0), concealed = kong(CONCEALED, 3, NOBODY, 0);
    CHECK_TEXT(LEDGER(flows, &game, direct, self_draw(3, 5, AFTER_KONG)),
               "0: 1>3 2\n1: 1>3 5 3>2 1\n= 0 -7 1 6, dealer 3\n");
    CHECK_TEXT(LEDGER(flows, &game, direct, self_draw(3, 5, 0)), "0: 1>3 2\n= 0 -2 0 2, dealer 3\n");
    CHECK_TEXT(LEDGER(flows, &game, direct, concealed, self_draw(3, 5, AFTER_KONG | MJ_FLAG_KONG_CHAIN)),
               "0: 1>3 2\n1: 0>3 2 1>3 2 2>3 2\n2: 3>2 3 3>0 3\n= 1 -4 1 2, dealer 3\n");
    CHECK_TEXT(LEDGER(flows, &game, direct, win(DISCARD, 3, 1 << 1, 5, AFTER_KONG)),
               "0: 1>3 2\n1: 3>2 1\n= 0 -2 1 1, dealer 1\n");
    CHECK_TEXT(LEDGER(flows, &game, direct, win(DISCARD, 3, 1 << 0, 5, AFTER_KONG)),
               "0: 1>3 2\n1: 1>0 5 3>2 1\n= 5 -7 1 1, dealer 0\n");
    CHECK_TEXT(LEDGER(flows, &game, kong(ADDED, 3, NOBODY, 0), win(DISCARD, 3, 1 << 0, 5, AFTER_KONG)),
               "0: 0>3 1 1>3 1 2>3 1\n1: 3>2 2\n= -1 -1 1 1, dealer 0\n");
    /* of the seat that konged, whoever konged since; and somebody must have */
    CHECK_TEXT(LEDGER(flows, &game, direct, kong(DIRECT, 2, 0, 0), win(DISCARD, 3, 1 << 0, 5, AFTER_KONG)),
               "0: 1>3 2\n1: 0>2 2\n2: 1>0 5 3>2 1\n= 3 -7 3 1, dealer 0\n");
    CHECK_TEXT(LEDGER(flows, &game, direct, win(DISCARD, 1, 1 << 3, 5, AFTER_KONG)), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 5, AFTER_KONG)), "bad order at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(ROBBED, 1, 1 << 3, 5, AFTER_KONG)), "= 0 0 0 0, dealer 3\n");
    mj_flows_free(flows);
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void test_drawn(void)
{
    mj_flows *flows = usual(STAYS, false);
    mj_game game = game_of(4, 1);
    const uint8_t states[] = {MJ_S_PIG, MJ_S_NOT_READY, MJ_S_READY, MJ_S_READY};
    memcpy(game.states, states, 4);
    game.best_call[2] = 4, game.best_call[3] = 2;
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 1, 2, 0), kong(DIRECT, 3, 2, 0), drawn()),
               "0: 2>1 2-\n1: 2>3 2\n2: 0>1 16 0>2 16 0>3 16 1>2 4 1>3 2 1>2 2\n= -48 10 18 20, dealer 1, over\n");
    /* who has won is no pig, whatever was said */
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), drawn()),
               "0: 1>0 1 2>0 1 3>0 1\n1: 1>2 4 1>3 2\n= 3 -7 3 1, dealer 0, over\n");
    CHECK_TEXT(LEDGER(flows, &game, drawn(), drawn()), "bad order at event 1");
    CHECK_TEXT(LEDGER(flows, &game, drawn(), foul(1)), "bad order at event 1");
    for (unsigned state = 0; state < 7; state++) {
        if (state >= MJ_S_READY && state <= MJ_S_PIG)
            continue;
        game.states[2] = (uint8_t)state;
        CHECK_TEXT(LEDGER(flows, &game, drawn()), state <= MJ_S_WON ? "bad state at event 0" : "bad state");
        if (state <= MJ_S_WON)
            CHECK_TEXT(LEDGER(flows, &game, self_draw(2, 0, 0), drawn()),
                       "1: 0>1 16 0>3 16 1>3 2\n= -32 14 0 18, dealer 2, over\n");
    }
    mj_flows_free(flows);
    /* a drawn game is over even if its rules forget to say so */
    static flowbook b;
    start_flows(&b);
    flows = flows_of(&b);
    game.states[2] = MJ_S_READY;
    CHECK_TEXT(LEDGER(flows, &game, drawn(), drawn()), "bad order at event 1");
    mj_flows_free(flows);
}

/* States say nothing before the end, and at the end what they can. */
static void test_states(void)
{
    static flowbook b;
    start_flows(&b);
    for (unsigned kind = 0; kind < MJ_EVENT_KINDS; kind++) {
        on(&b, kind);
        const uint16_t ready = word(&b, MJ_W_READY), not_ready = word(&b, MJ_W_NOT_READY);
        const uint16_t some = either(&b, either(&b, ready, not_ready), word(&b, MJ_W_PIG));
        pays(&b, word(&b, MJ_W_DEALER), some, constant(&b, 1))->each_party = 0;
    }
    mj_flows *flows = flows_of(&b);
    mj_game game = game_of(4, 0);
    const uint8_t states[] = {MJ_S_PIG, MJ_S_READY, MJ_S_UNKNOWN, MJ_S_NOT_READY};
    memcpy(game.states, states, 4);
    CHECK_TEXT(LEDGER(flows, &game, foul(0), self_draw(1, 1, 0)), "2: 0>3 1\n= -1 0 0 1\n");
    mj_flows_free(flows);
}

static void test_first_win_ends(void)
{
    static flowbook b;
    start_usual(&b, STAYS, false);
    b.spec.first_win_ends = 1;
    mj_flows *flows = flows_of(&b);
    const mj_game game = game_of(4, 0);
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 0, 1 << 1 | 1 << 2, 1, 0)),
               "0: 0>1 1 0>2 1\n= -2 1 1 0, dealer 0, over\n");
    CHECK_TEXT(LEDGER(flows, &game, self_draw(0, 1, 0), kong(CONCEALED, 1, NOBODY, 0)), "bad order at event 1");
    mj_flows_free(flows);
}

/* The first winners are known to events after theirs, and what an event says is gone after it. */
static void test_memory(void)
{
    static flowbook b;
    start_usual(&b, STAYS, false);
    on(&b, MJ_E_SELF_DRAW);
    pays(&b, word(&b, MJ_W_WINNER), word(&b, MJ_W_FIRST_WINNER), constant(&b, 7));
    pays(&b, word(&b, MJ_W_WINNER), word(&b, MJ_W_FIRST_DISCARDER), constant(&b, 9));
    on(&b, MJ_E_CONCEALED_KONG);
    const uint16_t left = calc(&b, MJ_OP_ADD, word(&b, MJ_W_WORTH), constant(&b, 1), 0);
    pays(&b, either(&b, word(&b, MJ_W_WINNER), word(&b, MJ_W_NEAREST)), word(&b, MJ_W_KONGER), left);
    on(&b, MJ_E_HAND_OVER);
    pays(&b, either(&b, word(&b, MJ_W_WINNER), word(&b, MJ_W_SELF_DRAW)), word(&b, MJ_W_DEALER), constant(&b, 1));
    mj_flows *flows = flows_of(&b);
    const mj_game game = game_of(4, 0);
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 2, 1 << 3, 1, 0), self_draw(1, 1, 0),
                      kong(CONCEALED, 0, NOBODY, 0)),
               "0: 2>3 1\n1: 1>3 7 1>2 9\n= 0 -16 8 8, dealer 3\n");
    mj_flows_free(flows);
}

/* ---- the outside account and horses ----------------------------------------------------------- */

static void test_outside(void)
{
    static flowbook b;
    start_flows(&b);
    on(&b, MJ_E_FALSE_WIN);
    mj_line *fine = pays(&b, word(&b, MJ_W_OFFENDER), 0, word(&b, MJ_W_BEST_CALL));
    fine->other_account = MJ_OUTSIDE;
    mj_line *gift = pays(&b, 0, word(&b, MJ_W_IN_PLAY), word(&b, MJ_W_LEAST_CALL));
    gift->party_account = MJ_OUTSIDE;
    gift->each_party = 0;
    gift->when = word(&b, MJ_W_DEALER);
    gift->tag = 5;
    on(&b, MJ_E_SELF_DRAW);
    forwards(&b, word(&b, MJ_W_DEALER), 0, 5)->other_account = MJ_OUTSIDE;
    refunds(&b, word(&b, MJ_W_DEALER), 5)->moved = 1;
    mj_flows *flows = flows_of(&b);
    mj_game game = game_of(4, 2);
    for (unsigned seat = 0; seat < 4; seat++)
        game.best_call[seat] = 10 + seat, game.least_call[seat] = 1 + seat;
    CHECK_TEXT(LEDGER(flows, &game, foul(1)), "0: 1>x 11 x>2 3\n= 0 -11 3 0, x 8\n");
    CHECK_TEXT(LEDGER(flows, &game, foul(1), self_draw(1, 0, 0)),
               "0: 1>x 11 x>2 3-\n1: 2>x 3 2>x 3\n= 0 -11 -3 0, x 14\n");
    mj_flows_free(flows);
}

static void test_horses(void)
{
    mj_flows *flows = usual(STAYS, false);
    mj_game game = game_of(4, 0);
    game.n_horses = 4;
    const uint8_t horses[] = {0, 1, 3, 0};
    memcpy(game.horses, horses, 4);
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 1, 1 << 0, 5, 0)),
               "0: 1>0 5\n1: x>h1 5 h2>x 5 x>h4 5\n= 5 -5 0 0, x -5, h1 5, h2 -5, h4 5, dealer 0\n");
    mj_flows_free(flows);

    static flowbook b;
    start_usual(&b, STAYS, false);
    on(&b, MJ_E_HAND_OVER);
    mirrors(&b)->when = word(&b, MJ_W_WON);
    flows = flows_of(&b);
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 1, 1 << 0, 5, 0)),
               "0: 1>0 5\n1: x>h1 5 x>h4 5\n= 5 -5 0 0, x -10, h1 5, h4 5, dealer 0\n");
    mj_flows_free(flows);
}

/* ---- what goes wrong while settling ------------------------------------------------------------------ */

static void test_parties(void)
{
    mj_game game = game_of(4, 0);
    for (unsigned which = 0; which < 6; which++) {
        static flowbook b;
        start_usual(&b, STAYS, true);
        on(&b, MJ_E_FALSE_WIN);
        const uint16_t many = word(&b, MJ_W_UNWON), dealer = word(&b, MJ_W_DEALER);
        const uint32_t number = b.spec.n_lines;
        mj_line *line = which == 0   ? pays(&b, many, dealer, constant(&b, 1))
                        : which == 1 ? pays(&b, dealer, many, constant(&b, 1))
                        : which == 2 ? refunds(&b, many, KONG_MONEY)
                        : which == 3 ? forwards(&b, many, dealer, KONG_MONEY)
                        : which == 4 ? forwards(&b, dealer, many, KONG_MONEY)
                                     : pays(&b, word(&b, MJ_W_WINNER), many, constant(&b, 1));
        line->each_party = line->each_other = 0;
        mj_flows *flows = flows_of(&b);
        char expected[64];
        snprintf(expected, sizeof expected, "too many parties at event 1, line %u", number);
        CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 0, 1, 0), foul(0)),
                   which < 5 ? expected : "0: 1>0 2\n= 2 -2 0 0, dealer 0\n");
        mj_flows_free(flows);
    }
}

static void test_amounts(void)
{
    mj_flows *flows = usual(STAYS, true);
    mj_game game = game_of(4, 0);
    const int64_t limit = mj_limit();
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 0, 1 << 1, limit, 0)),
               "0: 0>1 1000000000000000\n= -1000000000000000 1000000000000000 0 0, dealer 1\n");
    CHECK_TEXT(LEDGER(flows, &game, foul(2), win(DISCARD, 0, 1 << 1, -1, 0)), "bad amount at event 1, line 4");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 0, 1 << 1, limit + 1, 0)), "bad amount at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 0, 1 << 1, INT64_MIN, 0)), "bad amount at event 0");
    /* a sum beyond all sense is refused long before it overflows */
    mj_event events[255];
    for (unsigned i = 0; i < 255; i++)
        events[i] = win(DISCARD, 0, 14, limit, 0);
    CHECK(strncmp(ledger_of(flows, &game, events, 255), "0: 0>1 1000", 11) == 0);
    for (unsigned i = 0; i < 255; i++)
        events[i] = win(ROBBED, 1, 13, limit, 0);
    CHECK(strncmp(ledger_of(flows, &game, events, 255), "0: 1>2 1000", 11) == 0);
    /* horses may not hold more than a posting can */
    game.n_horses = 1;
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 0, 1 << 1, limit, 0), win(DISCARD, 0, 1 << 1, limit, 0)),
               "bad amount at event 2, line 10");
    mj_flows_free(flows);

    static flowbook b;
    start_flows(&b);
    on(&b, MJ_E_FALSE_WIN);
    b.constants[31] = limit;
    for (unsigned i = 0; i < 60; i++)
        pays(&b, word(&b, MJ_W_OFFENDER), word(&b, MJ_W_UNWON), constant(&b, 31));
    flows = flows_of(&b);
    game.n_horses = 0;
    for (unsigned i = 0; i < 255; i++)
        events[i] = foul(0);
    static mj_posting postings[2000];
    mj_settlement out;
    CHECK(mj_settle(flows, &game, events, 255, postings, 2000, &out) == MJ_BAD_AMOUNT);
    /* 1024 times the limit have been moved by then, 180 times in each event */
    CHECK(out.event == 5 && out.line == 41);
    mj_flows_free(flows);
}

static void test_events(void)
{
    mj_flows *flows = usual(STAYS, true);
    const mj_game game = game_of(4, 0);
    const mj_event good[] = {kong(CONCEALED, 0, NOBODY, 0), kong(DIRECT, 0, 1, 0), kong(ADDED, 0, NOBODY, 0),
                             self_draw(0, 1, 0), win(DISCARD, 0, 2, 1, 0), win(ROBBED, 0, 2, 1, 0),
                             foul(0), drawn()};
    mj_game ended = game;
    memset(ended.states, MJ_S_READY, 4);
    for (unsigned i = 0; i < 8; i++) {
        CHECK(strstr(ledger_of(flows, &ended, &good[i], 1), "bad") == NULL);
        for (unsigned value = 0; value < 256; value++) {
            /* in each place, the values that mean something are few */
            for (unsigned place = 0; place < 4; place++) {
                mj_event e = good[i];
                uint8_t *const places[] = {&e.kind, &e.seat, &e.from, &e.winners};
                *places[place] = (uint8_t)value;
                const char *found = ledger_of(flows, &ended, &e, 1);
                if (value >= 16)
                    CHECK(strcmp(found, "bad event at event 0") == 0 || value == MJ_NONE);
            }
        }
        mj_event e = good[i];
        e.spare = 1;
        CHECK_TEXT(ledger_of(flows, &ended, &e, 1), "bad event at event 0");
        e = good[i];
        e.flags = 128;
        CHECK_TEXT(ledger_of(flows, &ended, &e, 1), "bad event at event 0");
    }
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 1, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 1, 0, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, kong(ADDED, 1, 0, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, kong(CONCEALED, 1, NOBODY, MJ_FLAG_LATE)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, kong(DIRECT, 1, 0, MJ_FLAG_ROBBED)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(MJ_E_SELF_DRAW, NOBODY, 3, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(MJ_E_SELF_DRAW, 2, 1, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 2, 4, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 2, 16, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 2, 0, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, NOBODY, 1, 1, 0)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 2, 1, 1, MJ_FLAG_KONG_CHAIN)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, win(DISCARD, 2, 1, 1, MJ_FLAG_LATE)), "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, (mj_event){.kind = MJ_E_HAND_OVER, .seat = NOBODY, .from = NOBODY}),
               "bad event at event 0");
    CHECK_TEXT(LEDGER(flows, &game, (mj_event){.kind = MJ_E_DRAWN, .seat = 0, .from = NOBODY}),
               "bad event at event 0");
    mj_flows_free(flows);
}

void test_settle(void)
{
    test_payments();
    test_several_winners();
    test_winners_leave();
    test_winners_stay();
    test_seats_out();
    test_fewer_players();
    test_transfer();
    test_transfer_evenly();
    test_refund();
    test_robbed_kong();
    test_after_kong();
    test_drawn();
    test_states();
    test_first_win_ends();
    test_memory();
    test_outside();
    test_horses();
    test_parties();
    test_amounts();
    test_events();
}
