/* Finds folders of images that are splits (train, test) but are read as classes. */
#include "base/text.h"
#include "data/images/images.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SPLIT = -1 };

/* The split that a word of the name means, as in "1_test" or "Training set"; NO_SPLIT: none. */
static int part_of(const char *name) {
  while (*name) {
    size_t n = 0;
    while (*name && !isalpha((unsigned char)*name)) name++;
    while (isalpha((unsigned char)name[n])) n++;
    const int part = gt_data_part_named(name, n);
    if (part >= 0) return part;
    name += n;
  }
  return NO_SPLIT;
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* Lists the folders in a folder, sorted, as "a, b". Returns their number. */
static int folders_in(const char *folder, gt_arena *arena, const char **list) {
  struct dirent **found = NULL;
  gt_list folders = gt_list_open(arena, INT_MAX);
  const int count = scandir(folder, &found, is_shown, alphasort);
  for (int i = 0; i < count; i++) {
    if (gt_is_folder(gt_arena_printf(arena, "%s/%s", folder, found[i]->d_name)))
      gt_list_add(&folders, "%s", found[i]->d_name);
    free(found[i]);
  }
  free(found);
  *list = folders.text;
  return folders.count;
}

typedef struct summary {       /* of the folders that are read as classes */
  const char *split[GT_PARTS]; /* a class with the name of this split, or NULL */
  const char *names;           /* of all classes: "test, train" */
  const char *inside;          /* the folders in each class; NULL: not the same in all */
  int folders;                 /* smallest number of folders in a class */
  bool named;                  /* all classes have names of splits, among them training and another one */
} summary;

static summary summarize(const char *folder, const char *const *class, int classes, gt_arena *arena) {
  summary l = {.names = gt_list_of(arena, class, classes), .named = true};
  for (int i = 0; i < classes; i++) {
    const char *list;
    const int part = part_of(class[i]);
    const int folders = folders_in(gt_arena_printf(arena, "%s/%s", folder, class[i]), arena, &list);
    l.named = l.named && part != NO_SPLIT;
    if (part != NO_SPLIT && !l.split[part]) l.split[part] = class[i];
    if (!i) l.inside = list, l.folders = folders;
    if (folders < l.folders) l.folders = folders;
    if (l.inside && strcmp(l.inside, list)) l.inside = NULL;
  }
  l.named = l.named && l.split[GT_PART_TRAIN] && (l.split[GT_PART_VALIDATION] || l.split[GT_PART_TEST]);
  return l;
}

static const char *help_of(const char *folder, const summary *l, gt_arena *arena) {
  const char *test = l->split[GT_PART_TEST] ? l->split[GT_PART_TEST] : l->split[GT_PART_VALIDATION];
  const char *keys = gt_arena_printf(arena, "data: {train: %s/%s, test: %s/%s}", folder,
                                     l->split[GT_PART_TRAIN], folder, test);
  if (!l->folders) return gt_arena_printf(arena, "%s, with a folder for each class in both", keys);
  return l->split[GT_PART_TEST] && l->split[GT_PART_VALIDATION]
             ? gt_arena_printf(arena, "%s; validation samples are a fraction of train: validation: 0.1", keys)
             : keys;
}

void gt_image_review_splits(gt_data_reader *reader, const char *folder, const char *const *class,
                            int classes) {
  gt_arena *arena = reader->arena;
  const summary l = summarize(folder, class, classes, arena);
  const gt_position at = gt_data_position(reader, "train");
  const gt_finding finding = GT_FINDING_splits_as_classes;
  if (reader->trust.untrusted) return;
  if (l.named)
    gt_finding_at(reader->diagnostics, finding, at,
                  "the folders of %s, read as classes, are named like splits: %s", folder, l.names)
        ->help = help_of(folder, &l, arena);
  else if (l.inside && l.folders > 1 && classes == 1)
    gt_finding_at(reader->diagnostics, finding, at,
                  "the only folder of %s, '%s', is read as the one class, and holds folders: %s", folder,
                  class[0], l.inside)
        ->help = gt_arena_printf(arena, "data: {train: %s/%s}, if those are the classes", folder, class[0]);
  else if (l.inside && l.folders > 1)
    gt_finding_at(reader->diagnostics, finding, at,
                  "the folders of %s, read as classes (%s), all hold the same folders: %s", folder, l.names,
                  l.inside)
        ->help =
        gt_arena_printf(arena,
                        "if those are the classes: data: {train: %s/..., test: %s/...}, with the folder "
                        "of each split",
                        folder, folder);
}
