/* Settlement: what words and instructions mean for each seat. */
#include "flowbook.h"

/* An amount that both ends decide: the receiver's stance times the payer's, for the pairs that
 * agree on another. */
static void test_pair_code(void)
{
    static flowbook b;
    start_flows(&b);
    on(&b, MJ_E_SELF_DRAW);
    const uint16_t own = word(&b, MJ_W_STANCE + 3), side = word(&b, MJ_W_STANCE + 7);
    const uint16_t dealer = word(&b, MJ_W_DEALER);
    mj_line *line = pays(&b, word(&b, MJ_W_IN_PLAY), word(&b, MJ_W_UNWON), 0);
    mj_line *second = pays(&b, 0, word(&b, MJ_W_WINNER), 0);
    second->party_account = MJ_OUTSIDE;
    for_each_payer(&b, line);
    const uint16_t product = calc(&b, MJ_OP_MUL, own, calc(&b, MJ_OP_PAYER, own, 0, 0), 0);
    line->amount = calc(&b, MJ_OP_SELECT, calc(&b, MJ_OP_PAYER, dealer, 0, 0), constant(&b, 9), product);
    line->when = calc(&b, MJ_OP_EQ, side, calc(&b, MJ_OP_PAYER, side, 0, 0), 0);
    for_each_payer(&b, second);
    /* the outside account has no words: the receiver's own stand for them */
    second->amount = calc(&b, MJ_OP_PAYER, own, 0, 0);
    second->when = calc(&b, MJ_OP_NOT, calc(&b, MJ_OP_PAYER, dealer, 0, 0), 0, 0);
    mj_flows *flows = flows_of(&b);
    mj_game game = game_of(4, 3);
    const int32_t stances[] = {2, 3, 5, 7}, sides[] = {1, -1, 1, 1};
    for (unsigned seat = 0; seat < 4; seat++)
        game.stances[seat][3] = stances[seat], game.stances[seat][7] = sides[seat];
    CHECK_TEXT(LEDGER(flows, &game, self_draw(1, 0, 0)),
               "0: 2>3 35 2>0 10 3>2 9 3>0 9 0>2 10 0>3 14 x>1 3\n= -5 3 -26 31, x -3\n");
    mj_flows_free(flows);
}

static void test_seats_round_the_dealer(void)
{
    static const char *const expected[3][2] = {
        {"0: 1>0 1 1>0 2 1>0 4\n= 7 -7 0 0\n", "0: 0>1 1 0>1 2 0>1 4\n= -7 7 0 0\n"},
        {"0: 1>2 1 1>0 2\n= 2 -3 1 0\n", "0: 0>1 1 0>2 2\n= -3 1 2 0\n"},
        {"0: 1>2 1 1>0 2 1>3 4\n= 2 -7 1 4\n", "0: 0>1 1 0>3 2 0>2 4\n= -7 1 4 2\n"},
    };
    static flowbook b;
    start_flows(&b);
    on(&b, MJ_E_FALSE_WIN);
    pays(&b, word(&b, MJ_W_DEALER), word(&b, MJ_W_NEXT_SEAT), constant(&b, 1));
    pays(&b, word(&b, MJ_W_DEALER), word(&b, MJ_W_PREV_SEAT), constant(&b, 2));
    pays(&b, word(&b, MJ_W_DEALER), word(&b, MJ_W_ACROSS_SEAT), constant(&b, 4));
    mj_flows *flows = flows_of(&b);
    for (unsigned players = 2; players <= 4; players++) {
        mj_game game = game_of(players, 1);
        CHECK_TEXT(LEDGER(flows, &game, foul(0)), expected[players - 2][0]);
        game.dealer = 0;
        CHECK_TEXT(LEDGER(flows, &game, foul(0)), expected[players - 2][1]);
    }
    mj_flows_free(flows);
}

/* Flags and counts, and seats that are not there in no set, not even by negation. */
static void test_flags(void)
{
    static const unsigned flags[] = {MJ_FLAG_LAST_TILE, MJ_FLAG_FIRST_TURN, MJ_FLAG_STATED, 0};
    static const char *const expected[] = {"0: 0>1 1\n= -1 1 0 0\n", "0: 0>1 2\n= -2 2 0 0\n",
                                           "0: 0>1 4\n= -4 4 0 0\n", "0: 0>1 8\n= -8 8 0 0\n"};
    static flowbook b;
    start_flows(&b);
    on(&b, MJ_E_DISCARD_WIN);
    const uint16_t from = word(&b, MJ_W_DISCARDER), winner = word(&b, MJ_W_WINNER);
    const uint16_t last = word(&b, MJ_W_LAST_TILE), first = word(&b, MJ_W_FIRST_TURN);
    const uint16_t stated = word(&b, MJ_W_STATED);
    pays(&b, from, winner, constant(&b, 1))->when = last;
    pays(&b, from, winner, constant(&b, 2))->when = first;
    pays(&b, from, winner, constant(&b, 4))->when = stated;
    pays(&b, from, winner, constant(&b, 8))->when = not(&b, either(&b, either(&b, last, first), stated));
    on(&b, MJ_E_FALSE_WIN);
    const uint16_t nobody = word(&b, MJ_W_WINNER);
    const uint16_t n = calc(&b, MJ_OP_COUNT, not(&b, nobody), 0, 0);
    pays(&b, word(&b, MJ_W_OFFENDER), not(&b, nobody), n);
    mj_flows *flows = flows_of(&b);
    mj_game game = game_of(2, 0);
    for (unsigned i = 0; i < 4; i++)
        CHECK_TEXT(LEDGER(flows, &game, win(MJ_E_DISCARD_WIN, 0, 1 << 1, 0, flags[i])), expected[i]);
    CHECK_TEXT(LEDGER(flows, &game, foul(1)), "0: 1>0 2\n= 2 -2 0 0\n");
    game.players = 3;
    CHECK_TEXT(LEDGER(flows, &game, foul(1)), "0: 1>2 3 1>0 3\n= 3 -6 3 0\n");
    mj_flows_free(flows);
}

/* Every instruction does for each seat what it does for a hand. */
static void test_instructions(void)
{
    static const int64_t a[4] = {7, -3, 2, 2}, c[4] = {2, 5, 2, 0};
    static const int64_t expected[][4] = {
        [MJ_OP_ADD] = {9, 2, 4, 2}, [MJ_OP_SUB] = {5, -8, 0, 2}, [MJ_OP_MUL] = {14, -15, 4, 0},
        [MJ_OP_POW] = {49, -243, 4, 1}, [MJ_OP_MIN] = {2, -3, 2, 0}, [MJ_OP_MAX] = {7, 5, 2, 2},
        [MJ_OP_EQ] = {0, 0, 1, 0}, [MJ_OP_NE] = {1, 1, 0, 1}, [MJ_OP_LT] = {0, 1, 0, 0},
        [MJ_OP_LE] = {0, 1, 1, 0}, [MJ_OP_AND] = {0, 0, 0, 0}, [MJ_OP_OR] = {0, 1, 1, 1},
        [MJ_OP_NOT] = {1, 0, 1, 0}, [MJ_OP_SELECT] = {2, -3, 2, 2},
    };
    mj_game game = game_of(4, 0);
    memcpy(game.best_call, a, sizeof a);
    memcpy(game.least_call, c, sizeof c);
    for (unsigned seat = 0; seat < 4; seat++)
        game.stances[seat][0] = seat % 2, game.stances[seat][1] = seat / 2;
    for (unsigned code = MJ_OP_ADD; code < MJ_OPCODES; code++) {
        static flowbook b;
        start_flows(&b);
        on(&b, MJ_E_HAND_OVER);
        const uint16_t x = word(&b, MJ_W_BEST_CALL), y = word(&b, MJ_W_LEAST_CALL), one = constant(&b, 1);
        const uint16_t odd = calc(&b, MJ_OP_EQ, word(&b, MJ_W_STANCE), one, 0);
        const uint16_t high = both(&b, calc(&b, MJ_OP_EQ, word(&b, MJ_W_STANCE + 1), one, 0), not(&b, odd));
        const bool of_truths = code == MJ_OP_AND || code == MJ_OP_OR || code == MJ_OP_NOT;
        uint16_t result = of_truths                ? calc(&b, code, odd, high, 0)
                          : code == MJ_OP_SELECT ? calc(&b, code, odd, x, y)
                                                 : calc(&b, code, x, y, 0);
        if (of_truths || (code >= MJ_OP_EQ && code <= MJ_OP_LE))
            result = calc(&b, MJ_OP_SELECT, result, one, constant(&b, 0));
        /* 300 is added so that no amount is negative */
        b.constants[31] = 300;
        const uint16_t everybody = word(&b, MJ_W_UNWON);
        pays(&b, 0, everybody, calc(&b, MJ_OP_ADD, result, constant(&b, 31), 0))->party_account = MJ_OUTSIDE;
        mj_flows *flows = flows_of(&b);
        mj_posting postings[4];
        mj_settlement out;
        CHECK(mj_settle(flows, &game, NULL, 0, postings, 4, &out) == MJ_OK && out.n_postings == 4);
        int64_t want[4];
        for (unsigned seat = 0; seat < 4; seat++)
            want[seat] = expected[code][seat] + 300;
        if (memcmp(out.deltas, want, sizeof want) != 0)
            printf("opcode %u\n", code);
        CHECK(memcmp(out.deltas, want, sizeof want) == 0);
        mj_flows_free(flows);
    }
}

void test_words(void)
{
    test_pair_code();
    test_seats_round_the_dealer();
    test_flags();
    test_instructions();
}
