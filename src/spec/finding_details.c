/* The full text of each finding: when it appears, and what to change. */
#include "spec/diagnostics.h"

const char *const gt_finding_details[GT_FINDING_COUNT] = {
    [GT_FINDING_unused] =
        "Appears if no layer and no output reads the values of a layer or an input. Name it in `from:` of a layer, or "
        "remove it.",
    [GT_FINDING_applied_twice] =
        "Appears if the last layer is the activation that the loss applies itself: softmax with cross_entropy, sigmoid "
        "with bce. It trains badly. Remove the layer; predictions are probabilities without it.",
    [GT_FINDING_never_evaluated] =
        "Appears if there is neither validation nor test data, but a setting needs evaluations: early stopping, "
        "keep_best, or a schedule such as plateau. Set data.validation or data.test.",
    [GT_FINDING_watches_test] =
        "Appears if early stopping (patience or goal), keep_best or the schedule plateau has a test split to watch and no "
        "validation split. The result is then better on the test samples than on new samples. Set data.validation.",
    [GT_FINDING_clipped_light] =
        "Appears if samples have values above `white` of color_jitter, which clips them. Set data.normalize.scale to "
        "1 / white.",
    [GT_FINDING_no_effect] =
        "Appears if a setting changes nothing: a warmup that does not end in its phase, an interval longer than the run, "
        "a patience that no run is long enough for, a goal that the metric cannot reach, a key of `text` that belongs to "
        "another kind of samples, an `ema` that still holds a tenth of the initial weights at the end, levels of a "
        "threshold or the place of an equation's condition outside the training samples, a batch_norm whose momentum of 1 "
        "averages nothing, levels between which no training sample lies, an entry of `parameters` after another one that matches the same parameters. Also if a schedule "
        "leaves the learning rate at 0 (or at 1e-5 of its largest value) for more than the last tenth of the run. For a "
        "setting that several phases share: only if it has no effect in any of them (a warmup or a schedule: if it has none "
        "in one of them). Change the number, the length or the order.",
    [GT_FINDING_scaled_loss] =
        "Appears if a goal or a gate is a number for the loss of a regression whose targets are scaled: the loss is then in "
        "the units of the scaled targets, not in those of the data. Set it for rmse or mae, or data: {normalize_targets: "
        "none}.",
    [GT_FINDING_single_value_norm] =
        "Appears if a normalization averages over a single value, for example batch_norm with a batch of one sample, "
        "even if only the last batch of an epoch is that small. Choose another batch_size, or layer_norm.",
    [GT_FINDING_padding_is_token] =
        "Appears if the padding_idx of an embedding is a token of the text: the vector of that token stays zero. Only the "
        "vocabulary `word` has a padding token, 0; `char` and `byte` have none. Remove padding_idx.",
    [GT_FINDING_lost_weights] =
        "Appears if a phase makes a layer smaller, which cuts off trained weights (of a KAN layer, any other number of "
        "units discards all coefficients), or if layers have another size than in the model of `init_from` or lack a tensor "
        "there, and start from scratch, or have no place for one, such as a bias. Also if none of the classes, columns or "
        "tokens of the data has the name of one in that model, so that their weights start from scratch, and if names differ "
        "and a layer takes them by place, because it has no row or column for each. Keep the size and the names, or write "
        "`map: {head: ~}` in init_from for a layer that is meant to start from scratch.",
    [GT_FINDING_one_class] =
        "Appears if all training samples have the same label. Check data.target and the file.",
    [GT_FINDING_constant_target] =
        "Appears if a numeric target has the same value in all training samples, or if all cells of the board that an "
        "automaton learns, or all values of pictures that are targets, are equal. Check data.target and the file.",
    [GT_FINDING_empty_class] =
        "Appears if labels are numbers and one from 0 to the largest has no training sample: labels that begin at 1 leave "
        "class 0 empty. data: {classes: [1, 2, 3]} numbers the labels from 0. Also if `class_names` lists a class "
        "without one.",
    [GT_FINDING_missing_class] =
        "Appears if a class has training samples and none in the validation or test split, or the other way round. "
        "Take a larger split, or add samples.",
    [GT_FINDING_unnamed_positive] =
        "Appears if a metric such as f1 or a threshold is about one of two classes, nothing says which one, and the second "
        "in the order of the names, which is taken, has two thirds of the training samples or more. Name the class that is "
        "looked for: data: {positive: fraud}.",
    [GT_FINDING_rare_class] =
        "Appears with split: stratified if a class has a single sample. It stays in the training split, so no evaluation "
        "measures that class. Add samples of it, or leave it out with `classes: [...]`.",
    [GT_FINDING_large_group] =
        "Appears with split: {group: ...} if a group has more samples than the validation or test split should have. The "
        "splits then differ from their fractions, or large groups are never evaluated. Take larger fractions or smaller "
        "groups.",
    [GT_FINDING_repeated_samples] =
        "Appears if samples of the test split have the same inputs and targets as training samples. The test result is "
        "then better than on new samples. Remove the repeated rows, or keep rows that belong together in one split: "
        "split: {group: ...}. In a table of few different values different samples can be equal: it appears there only if a "
        "column takes 0.4 as many values as there are rows, or if the rows look copied, because two columns each take 0.9 as "
        "many values as there are different rows, of which there are at least 20.",
    [GT_FINDING_doubtful_header] =
        "Appears if the first line of a CSV is read as a sample and looks like a header, or the other way round: rising "
        "numbers such as years; texts that occur, or do not occur, in the rows below. Set data.header to true or false.",
    [GT_FINDING_far_from_unit_scale] =
        "Appears if an input that is not scaled has values beyond 30 or -30, or if a target that is not scaled has a mean or "
        "a deviation beyond 30: a network, whose values begin at about 1, learns little from them. Set data: {normalize: "
        "standard} or data: {normalize_targets: standard}; inputs of an equation (loss: pde) need other units. Also appears "
        "if `mean`, `std` or `scale` of normalize belong to other units than the values: more than 1 % of the results are beyond 30, "
        "all lie within 0.1, or they are farther from 0 than three times their range. Bytes are divided by 255 before. "
        "Models with gates or a KAN read values as they are.",
    [GT_FINDING_short_series] =
        "Appears if groups of a time series, or their rows in one split, are shorter than `window` + `horizon` of "
        "data.series, so they give no samples. Choose a smaller window or horizon, or larger fractions. Also if texts are "
        "so short that a convolution without padding leaves nothing of them. Use padding: same.",
    [GT_FINDING_sentinel_values] =
        "Appears if three or more cells of a number column are -9, -99, -999, -9999, -99999, 999, 9999 or 99999 and all other "
        "values are less than a fifth of that. Programs write such numbers for missing values; as a value, it ruins the scale of "
        "the column. Set data: {missing_values: [-999]}, or silence the warning.",
    [GT_FINDING_many_classes] =
        "Appears if a text target is read as classes and has at least half as many distinct values as rows: numbers "
        "with thousands separators or units, names or notes. Clean the column, choose another target, or set data: {task: "
        "classification}.",
    [GT_FINDING_filled_gaps] =
        "Appears if a file for a trained model lacks values in a column that had no missing values in training. They are "
        "filled with the value of the training rows that the model keeps: the median of numbers and dates, the most "
        "frequent boolean or category. With columns: {NAME: {missing: error}} in training they are an error.",
    [GT_FINDING_numbers_as_text] =
        "Appears if nearly all texts of an input column are a number with the same unit or sign, such as 12 mg, 51% or "
        "$3.50, and are read as categories. Write plain numbers in the file, or set columns: {NAME: category} if the texts "
        "are meant as categories.",
    [GT_FINDING_unseen_category] =
        "Appears if validation, test or evaluation rows have a category that is not one of those learned from the training "
        "rows. It is read as `other`, if training had rare categories, else as the most frequent one. Set columns: {NAME: "
        "{unseen: error}} to stop instead, or train on rows with these categories.",
    [GT_FINDING_large_integers] =
        "Appears if a column of an input has whole numbers of 2^24 (16,777,216) and more, of which a 32-bit float "
        "keeps the first 7 digits, and these do not tell a millionth of their range apart. If they identify the rows, leave the column out: columns: {NAME: ignore}; if they "
        "identify groups, read them as categories: columns: {NAME: category}.",
    [GT_FINDING_unnamed_time] =
        "Appears if `series` has no `time`, and an input column holds dates. Rows are then taken as equally spaced and in "
        "order: neither gaps, nor rows of several series, nor a file with the newest row first are noticed, and forecasts "
        "have no times. Set series: {time: COLUMN}.",
    [GT_FINDING_looks_ahead] =
        "Appears if a layer of a language model sees later places of the text: a recurrent layer with bidirectional: true, "
        "or a conv1d with padding on both sides. The target of a place is the next token, so the model learns to copy it: "
        "the loss falls far, and generated text is noise. Use one direction, or a `pad` layer before the convolution.",
    [GT_FINDING_missing_labels] =
        "Appears if labels are text and some are a word for a missing value (NA, nan, null, None, ?). They are read as a "
        "class of that name. Leave the rows out with columns: {NAME: {missing: drop}}, or name all classes in class_names.",
    [GT_FINDING_similar_names] =
        "Appears if two class names are the same text in two Unicode normalization forms (é as one code point or two). "
        "They are read as one class. Rename one.",
    [GT_FINDING_splits_as_classes] =
        "Appears if the folders that are read as classes are all named like splits (train, val, valid, validation, test "
        "and similar words), or all hold the same folders. Name the split's folder: data: {train: photos/train, test: "
        "photos/test}.",
    [GT_FINDING_empty_folder] =
        "Appears if a folder in the same directory as the classes contains no images; it is not read as a class. Remove "
        "it, or put images in it.",
    [GT_FINDING_turned_pictures] =
        "Appears if only one of a picture and its target image has an EXIF orientation, and the sizes of no pair tell "
        "whether targets were drawn on the pictures as displayed or on the stored pixels. Each file is turned as its own "
        "EXIF data say. Remove the orientation from the files if the targets belong to the stored pixels.",
    [GT_FINDING_outside_grid] =
        "Appears if a tenth or more of the training samples of an input, or of the samples of a test file, lie outside the `range` of a KAN layer, where "
        "splines are 0, or, if the layer applies tanh, outside -3 to 3, where tanh saturates. Set `range`, or "
        "`grid_update: {}` of bspline; for tanh set `data: {normalize: standard}`. A column that is "
        "the same in all training samples does not count.",
    [GT_FINDING_ambiguous_path] =
        "Appears if a relative path names files with different content in the working directory (or, for a run, in the "
        "folder where it was started) and in the folder of the config. The first one is read. Write an absolute path.",
    [GT_FINDING_other_samples] =
        "Appears if the samples that eval reads are not those of the run, though their path is the same. "
        "--set data.test=FILE names other files.",
    [GT_FINDING_outside_training] =
        "Appears in predict, eval and for a test file if samples lie outside the range of the training samples. One of "
        "these holds: (a) more than 5 % of the samples, and more than by chance, are outside by more than a tenth of "
        "the width of the range; (b) in a tenth of the columns, most samples are; (c) more samples than by chance are "
        "outside by more than the width; (d) one is outside by more than 20 times the largest value; (e) all values are "
        "20 times smaller. Later dates count only if they follow after more than the span of the training dates. Check units, "
        "columns and their order.",
    [GT_FINDING_channels_first] =
        "Appears if samples are [channels, height, width] with 1, 3 or 4 channels; layers and augmentation expect "
        "[height, width, channels]. A first layer `permute: [2, 3, 1]` moves the channels.",
    [GT_FINDING_not_bits] =
        "Appears if a logic layer reads numbers other than 0 and 1. The circuit then computes something other than the "
        "trained layer. Put a `threshold` layer before it.",
    [GT_FINDING_undetermined] =
        "Appears if a loss `pde` has neither `conditions` nor `targets`, so that any solution of the equation will do, or if "
        "a derivative in its formulas is 0 whatever the weights are, as the second one of a model without activations. Add "
        "conditions, or layers that bend. A model in which several layers read the input may have its conditions built in: "
        "nothing is said then.",
    [GT_FINDING_doubtful_formula] =
        "Appears in explain if the formula fits the samples badly, or if there are too few samples for it. Train longer, "
        "use more samples, or allow other functions.",
};
