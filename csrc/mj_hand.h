/* A hand, a rule file as a program, and what one makes of the other.  Part of mj.h. */
#ifndef MJ_API_HAND_H
#define MJ_API_HAND_H

#include <stddef.h>
#include <stdint.h>

/* ---- sizes and codes --------------------------------------------------- */

enum {
    MJ_KINDS = 34,        /* 0-8 m, 9-17 p, 18-26 s, 27-33 z (E S W N P F C) */
    MJ_SUITS = 4,         /* m p s and the honours */
    MJ_MAX_MELDS = 4,
    MJ_MAX_GROUPS = 14,   /* fourteen single tiles is the longest reading */
    MJ_MAX_FANS = 64,     /* a set of fans is one 64-bit word */
    MJ_MAX_SHAPES = 16,
    MJ_MAX_PARTS = 4,     /* each-of parts and single-tile parts of a shape, of either sort */
    MJ_MAX_FEATURES = 512,
    MJ_MAX_PATTERNS = 64,
    MJ_MAX_CHOICES = 4096, /* ways to choose from all pick-one sets together */
    MJ_MAX_REGISTERS = 4096,
    MJ_MAX_CODE = 16384,
    MJ_MAX_FACTS = 32,
    MJ_MAX_COPIES = 4,
    MJ_PROBE_WORDS = 4,
    MJ_MAX_PROBES = 64 * MJ_PROBE_WORDS,
    MJ_NONE = 255         /* no tile, no suit, no shape */
};

enum { MJ_NO_REGISTER = 65535 };

/* Statuses.  mj_status_name gives the name as text, for exceptions. */
typedef enum mj_status {
    MJ_OK = 0,
    MJ_NO_MEMORY,
    MJ_BAD_ARGUMENT,      /* a null pointer or a size that makes no sense */
    MJ_BAD_COUNT,         /* more copies of a kind than the tile set has */
    MJ_BAD_MELD,          /* a meld that is none */
    MJ_BAD_SIZE,          /* a wrong number of tiles */
    MJ_BAD_WIN_TILE,      /* a winning tile that is not among the concealed tiles */
    MJ_BAD_SUIT,          /* a void suit that is none */
    MJ_BAD_LIMITS,        /* a spec with too much of something */
    MJ_BAD_TILE_SET,      /* copies above four, or a hand size that is none */
    MJ_BAD_SHAPE,         /* a shape whose parts do not make up a hand */
    MJ_BAD_FEATURE,
    MJ_BAD_PATTERN,
    MJ_BAD_OPCODE,
    MJ_BAD_REGISTER,      /* out of range, read before written, or written twice */
    MJ_BAD_TYPE,          /* a truth value where a number is needed, or the reverse */
    MJ_BAD_STAGE,         /* code that reads what is not known yet at its stage */
    MJ_BAD_FAN,
    MJ_BAD_ABSORPTION,    /* out of range, or not in an order that decides absorbers first */
    MJ_BAD_PICK,
    MJ_TOO_SMALL,         /* the caller's buffer does not hold the answer */
    MJ_BAD_EVENT,         /* an event that is none: kind, seats, winners, flags */
    MJ_BAD_ORDER,         /* an event after the end, a win of a seat that has left, a robbed kong without one */
    MJ_BAD_STATE,         /* a seat whose state at a drawn end is not known */
    MJ_BAD_AMOUNT,        /* a negative amount, or one beyond the limit */
    MJ_TOO_MANY_PARTIES,  /* a line that acts has a party without each that holds more than one seat */
    MJ_BAD_LINE,          /* a line of a flow that is none: verb, account, fund, pair code, wrong event */
    MJ_BAD_WORD,          /* a packed word that is no hand */
    MJ_BAD_SITUATION,     /* a way of winning or a set of flags that is none */
    MJ_NO_MOVE            /* the rules leave a seat nothing that it may do */
} mj_status;

/* What a group of a reading is.  The value is a bit number in masks of types. */
typedef enum mj_group_type {
    MJ_RUN = 0,           /* concealed; tile is the lowest */
    MJ_CHOW,              /* exposed run */
    MJ_TRIPLET,           /* concealed, and not completed by another's tile */
    MJ_TRIPLET_CLAIMED,   /* concealed till another's tile completed it */
    MJ_PUNG,
    MJ_DIRECT_KONG,
    MJ_ADDED_KONG,
    MJ_CONCEALED_KONG,
    MJ_PAIR,              /* the pair of the hand */
    MJ_TWIN,              /* two alike in a hand of pairs */
    MJ_SINGLE,            /* a tile of an each-of or single-tile part */
    MJ_GROUP_TYPES
} mj_group_type;

/* How the winning tile completed its group in a reading. */
typedef enum mj_wait {
    MJ_WAIT_NONE = 0,     /* no winning tile was named, or the shape has no such waits */
    MJ_WAIT_EDGE,         /* 12 with 3, 89 with 7 */
    MJ_WAIT_CLOSED,       /* the middle of a run */
    MJ_WAIT_OPEN,         /* a run from either end */
    MJ_WAIT_SINGLE,       /* the pair */
    MJ_WAIT_TWIN          /* a triplet */
} mj_wait;

typedef struct mj_group {
    uint8_t type;         /* mj_group_type */
    uint8_t tile;         /* kind; the lowest of a run */
} mj_group;

/* A hand to be judged.  Fields that a program does not read may be anything valid. */
typedef struct mj_hand {
    uint8_t concealed[34];      /* copies by kind, the winning tile among them */
    uint8_t seen[34];           /* copies by kind on the table: discards and everybody's melds */
    mj_group melds[4];          /* chow, pung and the three kongs only */
    uint8_t n_melds;
    uint8_t win_tile;           /* kind, or MJ_NONE */
    uint8_t void_suit;          /* 0 1 2, or MJ_NONE */
    uint8_t claimed;            /* 1: the winning tile was another's, by discard or from a kong */
    int32_t facts[32];          /* flags and numbers of the win, by slot; the slots are the caller's */
} mj_hand;

/* ---- a rule file as a program ---------------------------------------------- */

/* Numbers that a program reads from a hand or from one reading of it. */
typedef enum mj_feature_kind {
    /* of the hand */
    MJ_F_TILES = 0,       /* physical tiles (melds, kongs as four) of a kind in `tiles` */
    MJ_F_KINDS,           /* kinds in `tiles` held at least once with copies in low..high (melds included) */
    MJ_F_KINDS_UNKONGED,  /* the same, a kind declared as a kong standing with 0 copies */
    MJ_F_SUITS,           /* suits held, of those whose bit is in `types` (bit 0 m, 1 p, 2 s, 3 honours) */
    MJ_F_CONCEALED,       /* tiles outside melds, the winning tile included */
    MJ_F_MELDS,           /* melds whose type's bit is in `types` */
    MJ_F_VOID_TILES,      /* physical tiles of the void suit, 0 without one */
    MJ_F_WIN_TILE_IN,     /* truth: the winning tile's kind is in `tiles` */
    MJ_F_WIN_TILE_VOID,   /* truth: the winning tile is of the void suit */
    MJ_F_WIN_TILE_OWN,    /* copies of the winning tile in the concealed part before the win */
    MJ_F_WIN_TILE_ALL,    /* the same, the own melds counted as well */
    MJ_F_WAITS,           /* kinds that complete the hand without the winning tile; a kind held in
                             all its copies in that concealed part does not count */
    MJ_F_WAITS_LEFT,      /* over these kinds: copies in the tile set minus copies seen, never below 0 */
    /* of a reading */
    MJ_F_SHAPE,           /* index of the shape */
    MJ_F_WAIT,            /* mj_wait of the winning tile's place */
    MJ_F_GROUPS,          /* groups whose type's bit is in `domain` and that match: the type's bit is in
                             `types`, or all tiles of the group are in `tiles` (low = 0), or
                             some tile of the group is in `tiles` (low = 1) */
    MJ_F_PATTERN,         /* truth: pattern number `low` occurs among the groups in `domain` */
    MJ_FEATURE_KINDS
} mj_feature_kind;

typedef struct mj_feature {
    uint64_t tiles;       /* set of kinds */
    uint16_t domain;      /* set of group types */
    uint16_t types;       /* set of group types, or of suits */
    uint8_t kind;         /* mj_feature_kind */
    uint8_t low;
    uint8_t high;
} mj_feature;

/* One alternative of a pattern: up to MJ_MAX_MELDS + 1 groups that must all be there, each
 * by a group of its own.  type is MJ_RUN (any run), MJ_TRIPLET (any triplet or kong),
 * MJ_DIRECT_KONG (any kong) or MJ_PAIR (a pair or a twin). */
typedef struct mj_alternative {
    mj_group groups[5];
    uint8_t n_groups;
    uint8_t pattern;      /* the number of the pattern that this belongs to; never descending */
} mj_alternative;

/* Instructions.  dst, a, b, c are registers, but for FEATURE and FACT, where a is an index.
 * B are truth values, N are numbers.  Results are held within -MJ_LIMIT .. MJ_LIMIT. */
typedef enum mj_opcode {
    MJ_OP_FEATURE = 0,    /* N or B */
    MJ_OP_FACT,           /* N: the value of slot a */
    MJ_OP_ADD,            /* N N -> N */
    MJ_OP_SUB,
    MJ_OP_MUL,
    MJ_OP_POW,            /* a to the b; a negative exponent gives 0, rounded down as all amounts are */
    MJ_OP_MIN,
    MJ_OP_MAX,
    MJ_OP_EQ,             /* N N -> B */
    MJ_OP_NE,
    MJ_OP_LT,
    MJ_OP_LE,
    MJ_OP_AND,            /* B B -> B */
    MJ_OP_OR,
    MJ_OP_NOT,            /* B -> B */
    MJ_OP_SELECT,         /* B a, N b, N c -> N: b where a holds, else c; or B b, B c -> B */
    MJ_OPCODES
} mj_opcode;

typedef struct mj_op {
    uint16_t op;          /* mj_opcode */
    uint16_t dst;
    uint16_t a;
    uint16_t b;
    uint16_t c;
} mj_op;

/* Registers that the kernel writes; the constants of the spec follow them. */
enum {
    MJ_R_NO_OTHER = 0,    /* B, readable from the late code on: no ordinary fan is left */
    MJ_R_FAN,             /* N, readable in the final code: the four totals */
    MJ_R_TIMES,
    MJ_R_POINT,
    MJ_R_BASE,
    MJ_R_FALSE,           /* B */
    MJ_R_TRUE,            /* B */
    MJ_R_CONSTANTS        /* N: the first constant */
};

/* Units of fans: 番 is added, 倍 is multiplied, 分 and 底 are added. */
typedef enum mj_unit { MJ_FAN = 0, MJ_TIMES, MJ_POINT, MJ_BASE, MJ_UNITS } mj_unit;

/* A winning shape.  Its parts make up hand_size + 1 tiles, a meld or kong counted as three.
 * Twins, each-of and single parts go only with a hand without melds. */
typedef struct mj_shape {
    uint8_t n_melds;      /* runs or triplets */
    uint8_t n_runs;       /* runs only, beside n_melds */
    uint8_t n_triplets;   /* triplets or kongs only, beside n_melds */
    uint8_t n_pairs;      /* 0 or 1 */
    uint8_t n_twins;      /* two alike; four alike are two */
    uint8_t n_each;       /* each-of parts */
    uint8_t n_singles;    /* single-tile parts */
    uint8_t singles[4];   /* tiles in each single-tile part */
    uint64_t each_of[4];  /* one tile of each kind of the set */
    uint64_t single_of[4];
    uint16_t when;        /* B register of the shape code, or MJ_NO_REGISTER */
} mj_shape;

typedef struct mj_fan {
    uint16_t count;       /* N register: how often the fan is there, below 1 is not at all */
    uint16_t value;       /* N register: what one is worth */
    uint8_t unit;         /* mj_unit */
    uint8_t late;         /* 1: judged after the others, when NO_OTHER is known */
    uint8_t limit;        /* 1: raises its unit's total to at least its value instead of joining it */
} mj_fan;

/* `absorber` takes `count` away from each occurrence of `absorbed` per occurrence of itself; 0 takes all. */
typedef struct mj_absorption {
    uint8_t absorber;
    uint8_t absorbed;
    uint16_t count;
} mj_absorption;

/* Only one fan of the set counts; the one that makes the hand worth most. */
typedef struct mj_pick {
    uint64_t fans;
} mj_pick;

/* A rule file's view of a hand.  All arrays belong to the caller and are copied. */
typedef struct mj_spec {
    uint8_t copies[34];   /* the tile set; 0 where a kind is not in it */
    uint8_t hand_size;    /* tiles of a waiting hand: 4 7 10 13 */
    const mj_shape *shapes;             uint32_t n_shapes;
    const mj_feature *features;         uint32_t n_features;
    const mj_alternative *alternatives; uint32_t n_alternatives;
    const int64_t *constants;           uint32_t n_constants;
    const mj_op *shape_code;            uint32_t n_shape_code; /* reads no waits */
    const mj_op *fan_code;              uint32_t n_fan_code;
    const mj_op *late_code;             uint32_t n_late_code;  /* may read MJ_R_NO_OTHER */
    const mj_op *final_code;            uint32_t n_final_code; /* may read the totals */
    const mj_fan *fans;                 uint32_t n_fans;
    const mj_absorption *absorptions;   uint32_t n_absorptions;
    const mj_pick *picks;               uint32_t n_picks;
    uint16_t money;       /* N register after the final code: what one payer pays */
    uint16_t may_win;     /* B register after the final code */
    uint16_t may_wait;    /* B register after the final code: this tile counts as a wait */
    uint32_t n_registers;
    const uint16_t *probes;             /* B registers whose truths are told of the best reading */
    uint32_t n_probes;
} mj_spec;

/* ---- results ------------------------------------------------------------------ */

/* One way to take a complete hand apart, the place of the winning tile included. */
typedef struct mj_reading {
    mj_group groups[14];  /* the melds as declared, then the concealed groups by tile */
    uint8_t n_groups;
    uint8_t shape;
    uint8_t wait;         /* mj_wait */
    uint8_t win_group;    /* index of the group that the winning tile completed, or MJ_NONE */
} mj_reading;

typedef struct mj_result {
    uint8_t win;          /* 1: some reading may win; everything below is of the best one */
    uint8_t complete;     /* 1: the tiles make a shape, whether or not that may win */
    uint8_t may_wait;     /* 1: the winning tile counts as a wait */
    uint8_t n_fans;
    uint32_t n_readings;  /* readings that were weighed */
    int64_t money;
    int64_t totals[4];    /* by mj_unit */
    int32_t counts[64];   /* fans that count, after picks and absorption */
    int32_t found[64];    /* fans that are there, before both */
    int64_t values[64];   /* what one of each is worth */
    mj_reading reading;
    uint32_t tied;        /* 1: another reading or choice has the same money and totals, but other fans */
    uint64_t probes[4];   /* truths of the probes, a bit each */
    uint64_t ever[4];     /* those that hold of some reading that may win */
} mj_result;

/* ---- functions ------------------------------------------------------------------- */

typedef struct mj_tables mj_tables;
typedef struct mj_program mj_program;

const char *mj_status_name(mj_status status);

/* Results are never outside -limit .. limit, and are held there when they would be. */
int64_t mj_limit(void);

/* The readings of every complete suit: about five megabytes, made in a few milliseconds. */
mj_status mj_tables_new(mj_tables **out);
void mj_tables_free(mj_tables *tables);

/* Verifies the spec and copies it.  On an error, *where is the index of the offending
 * element in its array (code is counted through the four blocks). */
mj_status mj_program_new(const mj_spec *spec, mj_program **out, uint32_t *where);
void mj_program_free(mj_program *program);

/* The best reading of a hand of hand_size + 1 tiles.  A hand that does not win is MJ_OK with
 * win = 0.  The winning tile may stand one copy above the tile set (see MJ_BAD_COUNT): such a
 * hand exists only as a question about a wait.
 *
 * Best: most money, then the highest totals in the order of mj_unit, then the fewest
 * fans (repeats counted), then more of the fan that stands first in the file where two sets
 * differ, then the reading that comes first.  Readings come by shape, then by kind from the
 * lowest: with a triplet before without, then with fewer pairs (and of these, a pair before a
 * twin), the rest being runs; then by the winning tile's group from the first. */
mj_status mj_score(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                   mj_result *result);

/* All readings of a hand in that order, whether or not they may win; *n is how many there are,
 * also when `capacity` was too small for them (MJ_TOO_SMALL). */
mj_status mj_readings(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                      mj_reading *readings, uint32_t capacity, uint32_t *n);

/* Kinds of the tile set that complete a hand of hand_size tiles, a fifth copy included.
 * win_tile is ignored. */
mj_status mj_waits(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                   uint64_t *kinds);

/* Tiles still needed to complete the hand, minus one: -1 is complete, 0 is waiting.  For
 * hands of hand_size or hand_size + 1 tiles; conditions of shapes are not looked at, win_tile
 * is ignored.  A tile of which the tile set has no more beside the concealed ones is not
 * waited for.  MJ_NONE where no shape goes with the melds. */
mj_status mj_shanten(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                     int *shanten);

#endif
