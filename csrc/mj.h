/* The whole interface of the kernel.
 *
 * The kernel sees no text: tiles are numbers, and a rule file arrives as an
 * mj_spec, a program over whole numbers that is verified before it is run.
 * It has no global state.  Tables and programs are immutable once made and may
 * be shared by threads; scoring writes only to what the caller passes in and
 * allocates nothing.  Every index that comes from outside is checked.
 *
 * The Python binding reads its declarations from these very files, in this
 * order, with the lines that start with # and the comments taken away; so
 * everything else in them is plain C that cffi understands: no function-like
 * macros, no attributes.
 */
#ifndef MJ_H
#define MJ_H

#include "mj_hand.h"
#include "mj_settle.h"
#include "mj_batch.h"
#include "mj_play.h"
#include "mj_space.h"

#endif
