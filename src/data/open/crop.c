/* `crop: [height, width]`: the part of a larger image that the network reads. */
#include "data/column.h"
#include "data/format.h"
#include <inttypes.h>
#include <string.h>

void gt_input_network_shape(const gt_input *input, int64_t *dim) {
  memcpy(dim, input->dim, (size_t)input->rank * sizeof *dim);
  if (input->crop[0]) memcpy(dim, input->crop, sizeof input->crop);
  if (input->table && input->table->one_hot) dim[input->rank - 1] = input->table->features;
}

const char *const *gt_input_feature_names(const gt_input *input) {
  return input->window ? NULL : input->table ? input->table->feature : input->columns;
}

/* True if targets that are images have the inputs' height and width, so that both can be cropped alike. */
static bool have_same_size(const gt_dataset *dataset, const gt_input *input) {
  for (int k = 0; k < dataset->targets; k++) {
    const gt_tensor *t = gt_train_target(dataset, k);
    if (t->rank > 2 && (t->rank > 4 || t->dim[1] != input->dim[0] || t->dim[2] != input->dim[1]))
      return false;
  }
  return true;
}

static bool has_label_arrays(const gt_dataset *dataset) {
  for (int k = 0; k < dataset->targets; k++)
    if (dataset->target[k].classification && gt_train_target(dataset, k)->rank > 1) return true;
  return false;
}

/* Sets the crop of the trained model. */
static bool use_model_crop(gt_data_reader *reader, gt_input *input) {
  memcpy(input->crop, reader->wanted->signature->input[0].crop, sizeof input->crop);
  return !input->crop[0] || have_same_size(reader->dataset, input) ||
         gt_fail(reader->error, GT_ERR_DATA, "the targets and the inputs have different heights or widths");
}

bool gt_data_crop(gt_data_reader *reader) {
  const gt_dataset *dataset = reader->dataset;
  const gt_ints crop = reader->common->crop;
  gt_input *input = &reader->dataset->input[0];
  if (reader->wanted->signature) return use_model_crop(reader, input);
  if (!crop.count) return true;
  if (crop.count > 2) return gt_data_refuse(reader, "crop", "this is not an image size", "[HEIGHT, WIDTH]");
  if (dataset->boards || dataset->inputs > 1 || input->element == GT_ELEMENT_I32 ||
      (input->rank != 2 && input->rank != 3))
    return gt_data_refuse(
        reader, "crop", "only images can be cropped, and only if they are the model's single input",
        "samples of [height, width] or [height, width, channels]; set shape: [28, 28] or the like");
  if (has_label_arrays(dataset))
    return gt_data_refuse(reader, "crop", "samples with an array of labels cannot be cropped", "no crop");
  const int64_t height = crop.items[0], width = crop.items[crop.count - 1];
  if (height > input->dim[0] || width > input->dim[1])
    return gt_data_refuse(
        reader, "crop", "the crop is larger than the images",
        gt_arena_printf(reader->arena, "at most [%" PRId64 ", %" PRId64 "]", input->dim[0], input->dim[1]));
  if (input->scaling.count > 1 && (input->rank == 2 || input->scaling.count != input->dim[2]))
    return gt_data_refuse(reader, "crop",
                          "the normalization differs per pixel, but a crop may start at any pixel",
                          "normalize: channel for samples with channels, or a single mean and std");
  if (!have_same_size(dataset, input))
    return gt_data_refuse(reader, "crop", "the targets and the inputs have different heights or widths",
                          "targets of the inputs' height and width");
  if (height == input->dim[0] && width == input->dim[1]) return true;
  input->crop[0] = height;
  input->crop[1] = width;
  return true;
}
