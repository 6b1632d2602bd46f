/* Memory for large tables that are read all over.
 *
 * In pages of the usual size such a table is a thousand page faults to make and as many entries of
 * the address cache to read, so big pages are asked for where the system has them.
 */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif
#include <stdlib.h>

#include "kernel.h"

enum { BIG_PAGE = 1 << 21 };

void *mj_new_space(size_t bytes)
{
    const size_t whole = (bytes + BIG_PAGE - 1) / BIG_PAGE * BIG_PAGE;
    void *space = aligned_alloc(BIG_PAGE, whole);
#if defined(__linux__)
    if (space != NULL)
        (void)madvise(space, whole, MADV_HUGEPAGE);   /* a wish: nothing depends on it */
#endif
    return space;
}
