/* What the files of the settlement share.
 *
 *   flows.c    is this a settlement program at all? and its translation
 *   seats.c    translated code run, for all seats at once
 *   ledger.c   postings: what lines do
 *   settle.c   a game's events, one after the other
 *
 * Translation gives each truth a set of seats, in one byte, and each number a row of four.  What an
 * event says stands in places of its own, constants follow, and code reads all of them like
 * anything it worked out: nothing is loaded.
 */
#ifndef MJ_SETTLE_H
#define MJ_SETTLE_H

#include "kernel.h"

enum {
    /* sets: the truths of mj_seat_word, then what code works out */
    MJ_SET_ALWAYS = MJ_W_KONG_KIND,   /* every seat */
    MJ_SETS_FREE,
    MJ_MAX_SETS = MJ_SETS_FREE + MJ_MAX_REGISTERS,
    /* rows: the numbers of mj_seat_word, the constants, then what code works out */
    MJ_ROW_KONG_KIND = 0,
    MJ_ROW_BEST_CALL = MJ_W_BEST_CALL - MJ_W_KONG_KIND,
    MJ_ROW_LEAST_CALL = MJ_W_LEAST_CALL - MJ_W_KONG_KIND,
    MJ_ROW_WORTH = MJ_W_WORTH - MJ_W_KONG_KIND,
    MJ_ROW_STANCE = MJ_W_STANCE - MJ_W_KONG_KIND,
    MJ_ROW_CONSTANTS = MJ_SEAT_WORDS - MJ_W_KONG_KIND,
    MJ_MAX_ROWS = MJ_ROW_CONSTANTS + MJ_MAX_SEAT_NUMBERS,

    MJ_EVERY_SEAT = (1 << MJ_SEATS) - 1
};

typedef int64_t mj_row[MJ_SEATS];

/* Opcodes of translated code, beside those of mj_opcode: where a truth is no number. */
enum { MJ_OP_SELECT_SET = MJ_OP_PAYER + 1, MJ_OP_PAYER_SET };

/* ---- a translated program ------------------------------------------------------ */

/* Whose code: the kinds of event, and two more. */
enum { MJ_IS_OVER = MJ_EVENT_KINDS, MJ_NEXT_DEALER, MJ_FIRINGS };

/* Ranges of the translated arrays. */
typedef struct mj_flow {
    uint32_t code, n_code;
    uint32_t lines, n_lines;
    uint32_t first;            /* number that its first line has in the spec */
} mj_flow;

struct mj_flows {
    bool winners_stay;
    bool first_win_ends;
    bool names_dealer;
    uint8_t stances;           /* set of slots that some code reads */
    uint16_t is_over;          /* sets */
    uint16_t next_dealer;
    uint32_t n_constants;
    mj_flow flows[MJ_FIRINGS];
    mj_row *constants;
    mj_op *code;               /* operands are sets and rows */
    mj_line *lines;            /* registers are sets and rows; always with a condition */
};

/* ---- a game under way --------------------------------------------------------------- */

typedef struct mj_seats {
    uint8_t sets[MJ_MAX_SETS];
    mj_row rows[MJ_MAX_ROWS];
} mj_seats;

/* The latest kong of a seat. */
typedef struct mj_kong {
    uint8_t kind;              /* as MJ_W_KONG_KIND; 0 before the first */
    uint8_t feeder;            /* set */
    uint8_t event;
} mj_kong;

typedef struct mj_settling {
    const mj_flows *flows;
    const mj_game *game;

    /* the table; sets of seats */
    uint8_t players;
    uint8_t table;
    uint8_t won;
    uint8_t robbed;            /* whose kong was robbed by the event before */
    bool has_first_win;
    bool is_drawn;
    bool is_over;
    mj_kong kongs[MJ_SEATS];

    /* the event */
    uint16_t event;            /* its number, or MJ_NO_REGISTER before the first */
    uint8_t first;             /* the seat that turn order begins with */
    uint8_t kong;              /* what its payments are for: the event, or MJ_NONE */
    uint16_t line;             /* that is posting, or MJ_NO_REGISTER */

    /* the ledger */
    mj_posting *postings;
    uint32_t n_postings;
    uint32_t capacity;
    int64_t total;             /* of all amounts */
    int64_t deltas[MJ_ACCOUNTS];

    mj_seats seats;            /* last, since only its beginning is in use */
} mj_settling;

/* ---- what the files offer each other -------------------------------------------------- */

/* seats.c.  `payer` is for pair code: a seat, or any other account where the receiver's own words
 * stand for the payer's. */
void mj_run_seats(mj_seats *seats, const mj_op *code, uint32_t n, unsigned table, unsigned payer);

/* ledger.c.  Does what a line says at the present event. */
mj_status mj_post_line(mj_settling *s, const mj_line *line);

#endif
