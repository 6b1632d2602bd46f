/* Settlement: programs over seats, games, and what they come to.  Part of mj.h. */
#ifndef MJ_API_SETTLE_H
#define MJ_API_SETTLE_H

#include "mj_hand.h"

/* A settlement program is run over seats: each register holds four numbers, one for each seat
 * (truths are 0 and 1).  What does not differ between seats stands in all four.  Everything an event
 * asks is computed once when it starts, before anybody's state changes; then its lines post. */

enum {
    MJ_SEATS = 4,
    MJ_OUTSIDE = 4,        /* the account outside the four seats */
    MJ_FIRST_HORSE = 5,    /* accounts of horses follow */
    MJ_MAX_HORSES = 4,
    MJ_ACCOUNTS = 9,
    MJ_MAX_EVENTS = 255,
    MJ_MAX_LINES = 512,
    MJ_MAX_STANCES = 8,
    MJ_MAX_SEAT_NUMBERS = 1000, /* constants and numbers that the code of one event works out */
    MJ_THIS_KONG = 255     /* as a fund: the postings of the owner's latest kong */
};

typedef enum mj_event_kind {
    MJ_E_CONCEALED_KONG = 0,
    MJ_E_DIRECT_KONG,
    MJ_E_ADDED_KONG,
    MJ_E_SELF_DRAW,
    MJ_E_DISCARD_WIN,
    MJ_E_ROBBED_KONG,
    MJ_E_FALSE_WIN,
    MJ_E_DRAWN,
    MJ_E_HAND_OVER,        /* fired by mj_settle itself when the events end */
    MJ_EVENT_KINDS
} mj_event_kind;

/* Flags of an event. */
enum {
    MJ_FLAG_LATE = 1,         /* the fourth tile of an added kong was not drawn this turn */
    MJ_FLAG_ROBBED = 2,       /* the added kong is robbed: its event is not fired */
    MJ_FLAG_AFTER_KONG = 4,
    MJ_FLAG_KONG_CHAIN = 8,
    MJ_FLAG_LAST_TILE = 16,
    MJ_FLAG_FIRST_TURN = 32,
    MJ_FLAG_STATED = 64       /* `worth` is the value of each winner's hand (to be turned into money
                                 by the program), not the money itself */
};

typedef struct mj_event {
    uint8_t kind;          /* mj_event_kind, never MJ_E_HAND_OVER */
    uint8_t seat;          /* the konger, or who fouled; MJ_NONE otherwise */
    uint8_t from;          /* who discarded, or whose kong was robbed; MJ_NONE otherwise */
    uint8_t winners;       /* set of seats */
    uint16_t flags;
    uint16_t spare;        /* 0 */
    int64_t worth[4];      /* by seat, of the winners */
} mj_event;

/* How a seat stands at a drawn end. */
typedef enum mj_seat_state { MJ_S_UNKNOWN = 0, MJ_S_READY, MJ_S_NOT_READY, MJ_S_PIG, MJ_S_WON } mj_seat_state;

typedef struct mj_game {
    uint8_t players;       /* 2 3 4; seats from there on are nobody's */
    uint8_t dealer;
    uint8_t out;           /* set of seats that had won before the first event */
    uint8_t n_horses;
    uint8_t horses[4];     /* the seat that each horse is bound to */
    uint8_t states[4];     /* mj_seat_state, read by MJ_E_DRAWN and MJ_E_HAND_OVER */
    uint8_t spare[4];      /* 0 */
    int32_t stances[4][8]; /* by seat and slot */
    int64_t best_call[4];
    int64_t least_call[4];
} mj_game;

/* What a register of a settlement program can be loaded with. */
typedef enum mj_seat_word {
    /* truths by seat */
    MJ_W_WINNER = 0, MJ_W_DISCARDER, MJ_W_KONGER, MJ_W_FEEDER, MJ_W_OFFENDER, MJ_W_NEAREST,
    MJ_W_FIRST_WINNER, MJ_W_FIRST_DISCARDER, MJ_W_DEALER,
    MJ_W_PREV_SEAT, MJ_W_ACROSS_SEAT, MJ_W_NEXT_SEAT,      /* seen from the dealer */
    MJ_W_UNWON, MJ_W_WON, MJ_W_IN_PLAY, MJ_W_READY, MJ_W_NOT_READY, MJ_W_PIG,
    /* truths of the event, the same for all seats */
    MJ_W_SELF_DRAW, MJ_W_DISCARD_WIN, MJ_W_ROBBED_KONG, MJ_W_AFTER_KONG, MJ_W_KONG_CHAIN,
    MJ_W_LAST_TILE, MJ_W_FIRST_TURN, MJ_W_AT_ONCE, MJ_W_DRAWN,
    MJ_W_STATED,           /* `worth` of this event is a value, not money */
    /* numbers */
    MJ_W_KONG_KIND,        /* 0 none, 1 direct, 2 added, 3 concealed: the kong of this event, or after one the kong before */
    MJ_W_BEST_CALL, MJ_W_LEAST_CALL,
    MJ_W_WORTH,            /* worth[seat] of this event, 0 for who does not win */
    MJ_W_STANCE,           /* + slot */
    MJ_SEAT_WORDS = MJ_W_STANCE + 8
} mj_seat_word;

/* Instructions are those of mj_opcode, done for each seat by itself, with two changes: MJ_OP_FEATURE
 * loads the word in `a`, MJ_OP_FACT loads constant number `a` into all seats; and these are added. */
enum {
    MJ_OP_COUNT = 16,      /* B -> N: for how many seats at the table it holds, in all four */
    MJ_OP_PAYER            /* X -> X: the payer's, in all four, and where the outside account pays
                              everybody's own; only in the pair code of a line */
};

typedef enum mj_verb { MJ_PAY = 0, MJ_REFUND, MJ_FORWARD, MJ_MIRROR, MJ_VERBS } mj_verb;

/* One line of a flow.
 *
 * PAY      party pays other `amount` as seen from the receiver, under `when` seen from the receiver
 * REFUND   each party gives what is standing of `fund` back to who paid it
 * FORWARD  party hands what is standing of `fund` on: to each other in full, or `evenly`
 * MIRROR   each horse takes the net of the seat it is bound to; party and other are not read
 *
 * `when` of REFUND and FORWARD is seen from the party, of MIRROR from the bound seat. */
typedef struct mj_line {
    uint8_t verb;
    uint8_t party_account; /* MJ_NONE: seats by register; else MJ_OUTSIDE */
    uint8_t other_account;
    uint8_t each_party;    /* 0: the set may hold one seat at most when the line acts */
    uint8_t each_other;
    uint8_t tag;           /* PAY: 1 to 254, or 0 for none; REFUND, FORWARD: the fund, a tag or MJ_THIS_KONG */
    uint8_t moved;         /* REFUND: what was forwarded is given back, too, from the party's pocket */
    uint8_t evenly;
    uint16_t party;        /* B registers */
    uint16_t other;
    uint16_t when;         /* or MJ_NO_REGISTER: always */
    uint16_t amount;       /* N register */
    uint32_t pair_code;    /* PAY: code run again for each payer: begin and length; 0 0 for none */
    uint32_t n_pair_code;
} mj_line;

/* The code and lines of one event, as ranges of the arrays of the spec.  The code of each event
 * stands for itself: it reads only registers that it wrote.  With all pair code of its lines it is
 * no longer than MJ_MAX_CODE. */
typedef struct mj_firing {
    uint32_t code, n_code;
    uint32_t lines, n_lines;
} mj_firing;

typedef struct mj_flow_spec {
    uint8_t winners_stay;  /* a winner stays at the table and may win again */
    uint8_t first_win_ends;
    mj_firing firings[9];  /* by mj_event_kind */
    mj_firing over;        /* after each event, whose own words are gone: `is_over`; no lines */
    mj_firing next_dealer; /* at the end; no lines */
    uint16_t is_over;      /* B register after `over`: the hand ends where it holds for seat 0 */
    uint16_t dealer_next;  /* B register after `next_dealer`, or MJ_NO_REGISTER */
    const int64_t *constants; uint32_t n_constants;
    const mj_op *code;        uint32_t n_code;
    const mj_line *lines;     uint32_t n_lines;
    uint32_t n_registers;
} mj_flow_spec;

typedef struct mj_flows mj_flows;

typedef enum mj_posting_state { MJ_STANDING = 0, MJ_RETURNED, MJ_MOVED } mj_posting_state;

typedef struct mj_posting {
    int64_t amount;        /* above 0 */
    uint16_t line;         /* in the spec's lines */
    uint8_t payer;         /* accounts */
    uint8_t receiver;
    uint8_t tag;
    uint8_t state;         /* mj_posting_state, as it was when the game ended */
    uint8_t event;         /* number of the event; n_events for MJ_E_HAND_OVER */
    uint8_t kong;          /* number of the kong event that it was paid for, or MJ_NONE */
} mj_posting;

typedef struct mj_settlement {
    int64_t deltas[9];     /* by account; they add up to 0 */
    uint32_t n_postings;
    uint8_t next_dealer;   /* seat, or MJ_NONE where the rules do not name exactly one */
    uint8_t is_over;       /* whether the rules end the hand after the last event */
    uint16_t status;       /* mj_status: what made the game unusable; then nothing is settled */
    uint16_t event;        /* where, or MJ_NO_REGISTER for the game itself */
    uint16_t line;         /* where, or MJ_NO_REGISTER */
} mj_settlement;

/* Verifies and copies.  *where is the index of the offending firing (`over` and `next_dealer` come
 * after those of the events), constant, instruction or line in its array, or 0. */
mj_status mj_flows_new(const mj_flow_spec *spec, mj_flows **out, uint32_t *where);
void mj_flows_free(mj_flows *flows);

/* Settles one game.  On a status other than MJ_OK the settlement holds no posting and no delta. */
mj_status mj_settle(const mj_flows *flows, const mj_game *game, const mj_event *events,
                    uint32_t n_events, mj_posting *postings, uint32_t capacity,
                    mj_settlement *out);

/* Settles n games; the events of game i are events[starts[i]] up to events[starts[i + 1]], and
 * starts never descend nor pass starts[n] = n_events.  deltas is n rows of 4 seats, statuses one
 * per game (a game with a status has no deltas), next_dealers one per game or NULL.  postings is
 * room to work in. */
mj_status mj_settle_batch(const mj_flows *flows, const mj_game *games, const mj_event *events,
                          const uint64_t *starts, uint64_t n, uint64_t n_events, int64_t *deltas,
                          uint8_t *statuses, uint8_t *next_dealers, mj_posting *postings,
                          uint32_t capacity);

#endif
