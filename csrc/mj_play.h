/* A hand being played: the rule file of the table, tables, hands played out.  Part of mj.h. */
#ifndef MJ_API_PLAY_H
#define MJ_API_PLAY_H

#include "mj_batch.h"
#include "mj_settle.h"

/* A move is a number: a verb's first number plus a kind of tile, a suit or a value. */
typedef enum mj_move {
    MJ_M_DISCARD = 0,          /* + kind */
    MJ_M_CONCEALED_KONG = 34,  /* + kind */
    MJ_M_ADDED_KONG = 68,      /* + kind */
    MJ_M_WIN = 102,
    MJ_M_PASS = 103,
    MJ_M_PUNG = 104,
    MJ_M_DIRECT_KONG = 105,
    MJ_M_CHOW = 106,           /* + 0 1 2: the claimed tile is the lowest, middle, highest of the run */
    MJ_M_SWAP = 109,           /* + kind */
    MJ_M_VOID = 143,           /* + suit */
    MJ_M_DECLARE = 146,        /* + number of the value, below 64 */
    MJ_M_DRAW = 210,           /* + kind */
    MJ_MOVES = 244,
    MJ_MOVE_WORDS = 4          /* a set of moves is so many words of 64 bits */
} mj_move;

enum {
    MJ_MAX_STEPS = 8,          /* of the opening */
    MJ_MAX_VALUES = 64,        /* of a stance that is declared */
    MJ_MAX_TILE_CLASSES = 128,
    MJ_MAX_PLACES = 256,       /* sets, and as many numbers, of one piece of code */
    MJ_MAX_WALL = 136,
    MJ_MAX_LOG = 1024          /* moves of a hand that are kept */
};

/* What the rule file speaks of with 许 禁 必. */
typedef enum mj_act {
    MJ_A_DISCARD = 0, MJ_A_PASS, MJ_A_CHOW, MJ_A_PUNG, MJ_A_DIRECT_KONG, MJ_A_CONCEALED_KONG,
    MJ_A_ADDED_KONG, MJ_A_SELF_DRAW, MJ_A_DISCARD_WIN, MJ_A_ROB, MJ_ACTS
} mj_act;

typedef enum mj_phase {
    MJ_P_SWAP = 0, MJ_P_VOID, MJ_P_DECLARE, MJ_P_DRAW, MJ_P_TURN, MJ_P_CLAIM, MJ_P_OVER
} mj_phase;

/* Words of the table as a seat sees it.  Truths first. */
typedef enum mj_table_word {
    MJ_T_SELF_DRAW = 0, MJ_T_DISCARD_WIN, MJ_T_ROBBED_KONG, MJ_T_AFTER_KONG, MJ_T_KONG_CHAIN,
    MJ_T_LAST_TILE, MJ_T_FIRST_TURN, MJ_T_AT_ONCE,
    MJ_T_JUST_PONGED, MJ_T_PASSED_PUNG, MJ_T_PASSED_WIN, MJ_T_CHANGES_WAITS, MJ_T_ALL_VOID,
    MJ_T_WINNER, MJ_T_DISCARDER, MJ_T_KONGER, MJ_T_FEEDER, MJ_T_NEAREST, MJ_T_FIRST_WINNER,
    MJ_T_FIRST_DISCARDER, MJ_T_DEALER, MJ_T_PREV_SEAT, MJ_T_ACROSS_SEAT, MJ_T_NEXT_SEAT,
    MJ_T_UNWON, MJ_T_WON, MJ_T_IN_PLAY, MJ_T_CLOSED, MJ_T_NOBODY,
    MJ_T_RECEIVER, MJ_T_PAYER,
    MJ_T_TRUTHS,
    MJ_T_WALL_LEFT = MJ_T_TRUTHS, MJ_T_PASSED_FAN, MJ_T_PASSED_MONEY,
    MJ_T_SUIT_COUNT, MJ_T_CONCEALED, MJ_T_EXPOSED, MJ_T_KONGS, MJ_T_VOID_COUNT, MJ_T_ROOTS,
    MJ_T_FAN, MJ_T_TIMES, MJ_T_POINT, MJ_T_BASE, MJ_T_OWN_WIN, MJ_T_OWN_WIN_ALL, MJ_T_KONG_KIND,
    MJ_T_ZERO,
    MJ_TABLE_WORDS
} mj_table_word;

/* Instructions about the table.  A truth is a set of kinds: those for which it holds when they are the
 * tile that a move is about.  A seat is told as how many places it comes after the own one. */
typedef enum mj_ask {
    MJ_Q_NUMBER = 0,   /* number dst: constant a */
    MJ_Q_TRUTH,        /* set dst: every kind where a is 1, none where it is 0 */
    MJ_Q_WORD,         /* set dst: word a of seat b */
    MJ_Q_WORD_OF,      /* set dst: word a of any seat that has the role c, seen from seat b */
    MJ_Q_VALUE,        /* number dst: word a of seat b */
    MJ_Q_VALUE_OF,     /* number dst: the largest of word a among the seats that have the role c */
    MJ_Q_STANCE,       /* number dst: stance a of seat b */
    MJ_Q_STANCE_OF,    /* number dst: stance a of the first seat that has the role c, else of seat b */
    MJ_Q_THIS_IN,      /* set dst: the kinds of class a */
    MJ_Q_WIN_IN,       /* set dst: every kind where the winning tile is of class a */
    MJ_Q_FROM,         /* set dst: the tile comes from a seat of a: bit 0 next, 1 across, 2 the one before */
    MJ_Q_KONG_KIND,    /* set dst: the kong is of a kind of a: bit 1 direct, 2 added, 3 concealed */
    MJ_Q_SOME,         /* set dst: some tile of the hand is of class a */
    MJ_Q_ALL,          /* set dst: there are tiles, and all are */
    MJ_Q_TILES,        /* number dst: how many tiles are of class a */
    MJ_Q_KINDS,        /* number dst: how many kinds are */
    MJ_Q_SUITS,        /* number dst: how many suits are held, of those in a (bit 0 m 1 p 2 s) */
    MJ_Q_SEATS,        /* number dst: for how many seats word a holds */
    MJ_Q_COPIES,       /* number dst: kinds whose copies (a 0; 1: of those not konged) compare by b
                          (0 = 1 != 2 < 3 <= 4 > 5 >=) with number c */
    MJ_Q_ADD, MJ_Q_SUB, MJ_Q_MUL, MJ_Q_POW, MJ_Q_MIN, MJ_Q_MAX, /* number dst: of numbers a b */
    MJ_Q_EQ, MJ_Q_NE, MJ_Q_LT, MJ_Q_LE,                         /* set dst: of numbers a b */
    MJ_Q_AND, MJ_Q_OR, MJ_Q_NOT,                                /* set dst: of sets a b */
    MJ_Q_SELECT,       /* number dst: b where set a is not empty, else c */
    MJ_Q_SELECT_SET,   /* set dst: of b those in a, of c the others */
    MJ_Q_ONE,          /* number dst: 1 where set a is not empty, else 0 */
    MJ_ASKS
} mj_ask;

typedef struct mj_class {
    uint64_t kinds;
    uint8_t with_void;    /* and the tiles of the own void suit */
    uint8_t with_drawn;   /* and the kind that was just drawn */
} mj_class;

/* A piece of code with the set (or numbers) that it works out. */
typedef struct mj_question {
    uint32_t code, n_code;
    uint16_t set;         /* or MJ_NO_REGISTER */
} mj_question;

typedef struct mj_book_spec {
    uint8_t players;
    uint8_t swap;              /* 0 none, 1 of one suit, 2 any three */
    uint8_t replaces_front;    /* the tile after a kong comes from the front of the wall */
    uint8_t nearest_wins;
    uint8_t after_discarder;   /* who draws after a win on another's tile */
    uint8_t winners_stay;
    uint8_t first_win_ends;
    uint8_t horses;
    uint8_t over_asks_wall;    /* `hand_over` may hold because of how many tiles are left */
    uint8_t n_steps;
    uint8_t steps[8];          /* 0 swap, 1 void, 2 + slot of a stance */
    uint8_t n_values[8];       /* of the stance in each slot */
    int32_t values[8][64];
    int32_t defaults[8];
    uint8_t n_stances;
    uint8_t n_directions;
    uint8_t directions[3];     /* steps that swapped tiles go: 1 next, 2 across, 3 before */
    uint8_t ranks[4];          /* of win, direct kong, pung, chow; lower comes first */
    uint16_t n_facts;          /* of the scoring program, and of the static one */
    uint16_t n_static_facts;
    uint16_t facts[32];        /* numbers that the code of `scoring` works out */
    uint16_t static_facts[32];
    mj_question may[10];       /* by mj_act: where it may be done; without set: nowhere */
    mj_question must[10];
    mj_question scoring;
    mj_question static_scoring;
    mj_question hand_over;
    mj_question pig;
    const mj_class *classes;    uint32_t n_classes;
    const int64_t *constants;   uint32_t n_constants;
    const mj_op *code;          uint32_t n_code;
} mj_book_spec;

typedef struct mj_place {
    uint64_t held[4];                 /* kinds with 1 2 3 4 concealed copies or more */
    uint64_t melded;                  /* kinds in melds */
    uint64_t fresh;                   /* kinds drawn in this turn */
    uint64_t passed_pungs;
    uint64_t waits;                   /* kinds that complete the hand that waits, once known */
    int64_t passed_fan;
    int64_t passed_money;
    int64_t asked_fan;                /* of the win that was found for it last: 番数, 胡分, fans */
    int64_t asked_money;
    uint64_t asked_fans;
    int32_t stances[8];
    uint32_t index[4];                /* the concealed tiles of each suit in base 5, */
    uint8_t rows[4];                  /* by that what the suit lacks, as a number that is the kernel's own, */
    uint8_t twins;                    /* and how many twos alike there are */
    uint8_t tiles[34];
    mj_group melds[4];
    uint8_t n_melds;
    uint8_t void_suit;
    uint8_t drawn;
    uint8_t draws;
    uint8_t n_discards;
    uint8_t all_void;                 /* every discard was of the void suit */
    uint8_t just_ponged;
    uint8_t n_given;
    uint8_t given[3];
    uint8_t waits_known;
    uint8_t kong_kind;                /* of the latest kong: 1 2 3, or 0 */
    uint8_t kong_feeder;              /* or MJ_NONE */
    uint8_t answer;                   /* to a tile: a move */
    uint8_t asked_tile;               /* the winning tile of that win */
} mj_place;

/* A hand under way: plain data, copied by assignment; so a copy undoes what comes after it. */
typedef struct mj_table {
    mj_place seats[4];
    uint64_t asked[4][2];             /* what each seat may answer: moves from 64 on */
    uint8_t shown[34];                /* copies on the table */
    uint8_t wall[136];
    uint8_t front, back;              /* what is left of it: from front up to back */
    uint8_t dealer, direction;
    uint8_t phase, step, actor, chain;
    uint8_t waiting;                  /* set of seats that have to answer */
    uint8_t had;                      /* set of seats that were asked */
    uint8_t won;
    uint8_t first_winners, first_discarders;
    uint8_t has_won;
    uint8_t claimed_any;
    uint8_t source, tile, robbing;    /* what may be claimed; source MJ_NONE: nothing */
    uint8_t n_horses;
    uint8_t horses[4];
    uint8_t is_drawn;
    uint8_t states[4];
    int64_t best_call[4], least_call[4];
    uint64_t fans;                    /* that counted in some win */
    uint32_t n_events;
    uint32_t n_log;
    mj_event events[255];
    uint16_t log[1024];               /* seat << 8 | move */
} mj_table;

typedef struct mj_book mj_book;
typedef struct mj_distances mj_distances;

/* How far suits are from melds and a pair: a few megabytes, made in a tenth of a second. */
mj_status mj_distances_new(const mj_tables *tables, mj_distances **out);
void mj_distances_free(mj_distances *distances);

/* Verifies and copies; the programs, flows and distances stay the caller's and must outlive the book. */
mj_status mj_book_new(const mj_book_spec *spec, const mj_tables *tables, const mj_distances *distances,
                      const mj_program *program, const mj_program *static_program,
                      const mj_flows *flows, mj_book **out, uint32_t *where);
void mj_book_free(mj_book *book);

/* A hand dealt from a whole wall (n tiles, the whole set).  `direction` is 1 2 3. */
mj_status mj_table_deal(const mj_book *book, const uint8_t *wall, uint32_t n, uint32_t dealer,
                        uint32_t direction, mj_table *table);

/* Legal moves of an awaited seat, MJ_MOVE_WORDS words; none for who is not awaited. */
mj_status mj_table_legal(const mj_book *book, const mj_table *table, uint32_t seat, uint64_t *moves);

/* Makes a move: MJ_BAD_ARGUMENT where it is not legal, and then nothing has changed. */
mj_status mj_table_apply(const mj_book *book, mj_table *table, uint32_t seat, uint32_t move);

/* Settles a hand that is over. */
mj_status mj_table_settle(const mj_book *book, const mj_table *table, mj_posting *postings,
                          uint32_t capacity, mj_settlement *out);

typedef enum mj_policy { MJ_RANDOM = 0, MJ_GREEDY, MJ_POLICIES } mj_policy;

/* What hands came to, one row a hand. */
typedef struct mj_played {
    int64_t deltas[4];
    uint64_t fans;            /* that counted in some win */
    uint16_t n_moves;
    uint8_t dealer;
    uint8_t next_dealer;      /* or MJ_NONE */
    uint8_t wins[4];          /* by seat */
    uint8_t self_draws;
    uint8_t kongs;
    uint8_t is_drawn;
    uint8_t first_winners;    /* set */
    uint8_t won;              /* set */
    uint8_t left;             /* tiles in the wall at the end */
    uint8_t spare[2];
} mj_played;

/* Tables by which wins and waits are valued at a table: folds of the book's program and of its static program
 * (that for waits), and the facts for which they were made.  Each may be NULL: then hands are judged one by one. */
typedef struct mj_known {
    const mj_folds *folds;
    const int32_t *facts;
    const mj_folds *wait_folds;
    const int32_t *wait_facts;
} mj_known;

/* Plays n hands; hand i has the seed `seed` + i, which gives its wall, dealer and direction under any
 * rules with the same tiles and players.  Where `finished` is not NULL, it holds n finished tables.  `known` may
 * be NULL. */
mj_status mj_simulate(const mj_book *book, const mj_known *known, mj_policy policy, uint64_t seed, uint64_t n,
                      mj_played *played, mj_table *finished, mj_posting *postings, uint32_t capacity);

#endif
