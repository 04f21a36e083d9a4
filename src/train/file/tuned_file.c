#include "train/file/tuned_file.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char format[] = "gtrain-tuned-2",
                  old_format[] = "gtrain-tuned-1"; /* its keys lacked some fields */
static const uint64_t max_bytes = 16 << 20;

char *gt_tuned_path(const gt_backend *backend) {
  char name[64];
  const uint64_t device = gt_hash(GT_HASH_START, backend->name, strlen(backend->name));
  snprintf(name, sizeof name, "tuned-%016llx.json", (unsigned long long)device);
  return gt_cache_path(name);
}

static bool fail_not_tuned_file(const char *path, const char *why, gt_error *error) {
  return gt_fail(error, GT_ERR_DATA, "%s is not a file of gtrain tune: %s", path, why);
}

static bool add_candidates(gt_tuned *tuned, json_t *root, const char *path, const gt_backend *backend,
                           gt_error *error) {
  const char *found_format, *device, *key;
  json_t *ways, *candidate;
  if (json_unpack(root, "{s:s, s:s, s:o}", "format", &found_format, "device", &device, "ways", &ways) ||
      !json_is_object(ways))
    return fail_not_tuned_file(path, "it lacks 'format', 'device' or 'ways'", error);
  if (!strcmp(found_format, old_format)) {
    gt_warn("ignored %s, which an earlier version of gtrain wrote; run gtrain tune again", path);
    return true;
  }
  if (strcmp(found_format, format)) return fail_not_tuned_file(path, "unknown format", error);
  if (strcmp(device, backend->name)) {
    gt_warn("ignored %s: it was tuned on %s, not on %s", path, device, backend->name);
    return true;
  }
  json_object_foreach(ways, key, candidate) {
    if (!json_is_string(candidate))
      return fail_not_tuned_file(path, "a value of 'ways' is not a string", error);
    gt_tuned_set(tuned, key, json_string_value(candidate));
  }
  return true;
}

bool gt_tuned_read(gt_tuned *tuned, const char *path, const gt_backend *backend, gt_error *error) {
  gt_bytes text;
  json_error_t where;
  if (!gt_read_plain_file(path, max_bytes, &text, error)) return false;
  json_t *root = json_loadb((const char *)text.data, text.size, 0, &where);
  gt_bytes_finish(&text);
  if (!root) return fail_not_tuned_file(path, where.text, error);
  const bool ok = add_candidates(tuned, root, path, backend, error);
  json_decref(root);
  return ok;
}

void gt_tuned_read_cache(gt_tuned *tuned, const gt_backend *backend) {
  gt_error error = {0};
  char *path = gt_tuned_path(backend);
  if (path) gt_remove_leftovers(path);
  if (path && gt_file_exists(path) && !gt_tuned_read(tuned, path, backend, &error))
    gt_warn("%s; the file is ignored", error.message);
  free(path);
}

static bool write_text(const char *path, const char *text, gt_error *error) {
  const gt_span span = {text, strlen(text)};
  return gt_make_folder_of(path, error) && gt_write_file_atomic(path, &span, 1, error);
}

bool gt_tuned_write(const gt_tuned *tuned, const char *path, const gt_backend *backend, gt_error *error) {
  json_t *ways = json_object();
  for (size_t i = 0; i < tuned->count; i++)
    json_object_set_new(ways, tuned->items[i].key, json_string(tuned->items[i].candidate));
  json_t *root = json_pack("{s:s, s:s, s:o}", "format", format, "device", backend->name, "ways", ways);
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS);
  const bool ok =
      text ? write_text(path, text, error) : gt_fail(error, GT_ERR_INTERNAL, "cannot write %s as JSON", path);
  free(text);
  json_decref(root);
  return ok;
}
