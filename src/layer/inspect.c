#include "layer/inspect.h"

#define GT_KIND inspector
#include "base/registered.h"
