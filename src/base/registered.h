/* Lists everything of a kind that is registered (base/register.h). Defines the functions gt_KIND_count and
 * gt_KIND_at, and for the including file the arrays `types` and `type_names`, which end with NULL, and their
 * length TYPES. Included once in a .c file, after the header of the kind and `#define GT_KIND layer`. */
#define GT_OF_KIND_(kind, name) gt_##kind##_##name
#define GT_OF_KIND(kind, name)  GT_OF_KIND_(kind, name)
#define GT_QUOTE_(path)         #path
#define GT_QUOTE(path)          GT_QUOTE_(path)
/* clang-format off */
#define GT_REGISTERED_ROWS      GT_QUOTE(registry/GT_KIND.inc)
/* clang-format on */

#define X(name) extern const GT_OF_KIND(GT_KIND, type) GT_OF_KIND(GT_KIND, name);
#include GT_REGISTERED_ROWS
#undef X
static const GT_OF_KIND(GT_KIND, type) *const types[] = {
#define X(name) &GT_OF_KIND(GT_KIND, name),
#include GT_REGISTERED_ROWS
#undef X
    NULL,
};
static const char *const type_names[] __attribute__((unused)) = {
#define X(name) #name,
#include GT_REGISTERED_ROWS
#undef X
    NULL,
};
enum { TYPES = sizeof types / sizeof *types - 1 };

int GT_OF_KIND(GT_KIND, count)(void) { return TYPES; }
const GT_OF_KIND(GT_KIND, type) * GT_OF_KIND(GT_KIND, at)(int index) { return types[index]; }
