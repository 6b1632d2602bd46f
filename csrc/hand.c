/* Is this a hand at all?  Everything behind this check indexes by tile and group freely. */
#include "kernel.h"

const char *mj_status_name(mj_status status)
{
    switch (status) {
    case MJ_OK: return "ok";
    case MJ_NO_MEMORY: return "no memory";
    case MJ_BAD_ARGUMENT: return "bad argument";
    case MJ_BAD_COUNT: return "bad count";
    case MJ_BAD_MELD: return "bad meld";
    case MJ_BAD_SIZE: return "bad size";
    case MJ_BAD_WIN_TILE: return "bad win tile";
    case MJ_BAD_SUIT: return "bad suit";
    case MJ_BAD_LIMITS: return "bad limits";
    case MJ_BAD_TILE_SET: return "bad tile set";
    case MJ_BAD_SHAPE: return "bad shape";
    case MJ_BAD_FEATURE: return "bad feature";
    case MJ_BAD_PATTERN: return "bad pattern";
    case MJ_BAD_OPCODE: return "bad opcode";
    case MJ_BAD_REGISTER: return "bad register";
    case MJ_BAD_TYPE: return "bad type";
    case MJ_BAD_STAGE: return "bad stage";
    case MJ_BAD_FAN: return "bad fan";
    case MJ_BAD_ABSORPTION: return "bad absorption";
    case MJ_BAD_PICK: return "bad pick";
    case MJ_TOO_SMALL: return "too small";
    case MJ_BAD_EVENT: return "bad event";
    case MJ_BAD_ORDER: return "bad order";
    case MJ_BAD_STATE: return "bad state";
    case MJ_BAD_AMOUNT: return "bad amount";
    case MJ_TOO_MANY_PARTIES: return "too many parties";
    case MJ_BAD_LINE: return "bad line";
    case MJ_BAD_WORD: return "bad word";
    case MJ_BAD_SITUATION: return "bad situation";
    case MJ_NO_MOVE: return "no move";
    }
    return "unknown status";
}

static bool is_meld(mj_group group)
{
    if (group.type >= MJ_GROUP_TYPES || group.tile >= MJ_KINDS || !mj_is_a(group, MJ_DECLARED))
        return false;
    return group.type != MJ_CHOW || mj_starts_run(group.tile);
}

mj_status mj_check_hand(const mj_program *program, const mj_hand *hand, unsigned min, unsigned max,
                        bool question)
{
    unsigned copies[MJ_KINDS];
    unsigned tiles = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        copies[kind] = hand->concealed[kind];
        tiles += copies[kind];
    }

    if (hand->n_melds > MJ_MAX_MELDS)
        return MJ_BAD_MELD;
    for (unsigned i = 0; i < hand->n_melds; i++) {
        const mj_group meld = hand->melds[i];
        if (!is_meld(meld))
            return MJ_BAD_MELD;
        if (meld.type == MJ_CHOW) {
            for (unsigned k = 0; k < 3; k++)
                copies[meld.tile + k] += 1;
        } else {
            copies[meld.tile] += mj_is_a(meld, MJ_KONGS) ? 4 : 3;
        }
        tiles += 3;
    }
    if (tiles < min || tiles > max)
        return MJ_BAD_SIZE;

    const bool names_win = question && hand->win_tile != MJ_NONE;
    if (names_win && (hand->win_tile >= MJ_KINDS || hand->concealed[hand->win_tile] == 0))
        return MJ_BAD_WIN_TILE;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const unsigned set = program->copies[kind];
        const unsigned most = names_win && kind == hand->win_tile && set > 0 ? set + 1 : set;
        if (copies[kind] > most)
            return MJ_BAD_COUNT;
    }

    if (hand->void_suit >= MJ_HONOURS && hand->void_suit != MJ_NONE)
        return MJ_BAD_SUIT;
    return MJ_OK;
}
