/* Decodes JPEG row by row with libjpeg(-turbo)'s defaults: exact integer DCT, smooth chroma upsampling.
 * Warnings of the library that mean lost pixels are errors here. */
#include "base/memory.h"
#include "data/images/exif.h"
#include "data/images/images.h"
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>

/* A limit, because a small progressive file with very many scans would take minutes. */
enum { MAX_SCANS = 500 };

typedef struct decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf exit;
  gt_image_job *job;
} decoder;

static decoder *decoder_of(j_common_ptr jpeg) { return jpeg->client_data; }

static void fail(j_common_ptr jpeg) {
  decoder *d = decoder_of(jpeg);
  char message[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, message);
  gt_fail(d->job->error, jpeg->err->msg_code == JERR_OUT_OF_MEMORY ? GT_ERR_MEMORY : GT_ERR_DATA,
          "%s: damaged JPEG file: %s", d->job->path, message);
  longjmp(d->exit, 1);
}

static void warn(j_common_ptr jpeg, int level) {
  if (level >= 0) return; /* trace messages, not warnings */
  switch (jpeg->err->msg_code) {
  case JWRN_JPEG_EOF:
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_ARITH_BAD_CODE:
  case JWRN_MUST_RESYNC: fail(jpeg); break;
  default: break;
  }
}

static void count_scans(j_common_ptr jpeg) {
  const decoder *d = decoder_of(jpeg);
  if (d->jpeg.input_scan_number <= MAX_SCANS) return;
  gt_fail(d->job->error, GT_ERR_DATA, "%s: the JPEG file has more than %d scans", d->job->path, MAX_SCANS);
  longjmp(decoder_of(jpeg)->exit, 1);
}

static void read_orientation(decoder *d) {
  enum { HEAD = 6 }; /* bytes of "Exif", 0, 0 */
  for (jpeg_saved_marker_ptr m = d->jpeg.marker_list; m; m = m->next)
    if (m->marker == JPEG_APP0 + 1 && d->job->orientation == 1 && m->data_length >= HEAD &&
        !memcmp(m->data, "Exif\0", HEAD))
      d->job->orientation = gt_exif_orientation(m->data + HEAD, m->data_length - HEAD);
}

static bool read_rows(decoder *d) {
  struct jpeg_decompress_struct *jpeg = &d->jpeg;
  gt_image_job *job = d->job;
  void *row;
  jpeg_create_decompress(jpeg);
  jpeg->client_data = d;
  jpeg->progress = &d->progress;
  jpeg_mem_src(jpeg, job->bytes.data, (unsigned long)job->bytes.size);
  jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(jpeg, TRUE);
  read_orientation(d);
  if (jpeg->num_components != 1 && jpeg->num_components != 3)
    return gt_fail(job->error, GT_ERR_DATA, "%s: expected an RGB or grayscale JPEG file; this one %s",
                   job->path, jpeg->num_components == 4 ? "is CMYK" : "has another color space");
  if (!gt_image_begin(job, jpeg->image_height, jpeg->image_width)) return job->size_only;
  jpeg->out_color_space = job->form->channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_start_decompress(jpeg);
  if (!gt_try_alloc(&row, jpeg->output_width, (uint64_t)job->form->channels, job->path, job->error))
    return false;
  job->row = row;
  while (jpeg->output_scanline < jpeg->output_height) {
    jpeg_read_scanlines(jpeg, &job->row, 1);
    gt_resizer_row(&job->resizer, job->row);
  }
  jpeg_finish_decompress(jpeg);
  return true;
}

/* libjpeg returns here by longjmp when it fails; no local variable is used after that. */
static bool decode_guarded(decoder *d) {
  if (setjmp(d->exit)) return false;
  return read_rows(d);
}

bool gt_image_decode_jpeg(gt_image_job *job) {
  decoder d = {.job = job, .progress = {.progress_monitor = count_scans}};
  d.jpeg.err = jpeg_std_error(&d.errors);
  d.jpeg.client_data = &d;
  d.errors.error_exit = fail;
  d.errors.emit_message = warn;
  const bool ok = decode_guarded(&d);
  jpeg_destroy_decompress(&d.jpeg);
  return ok;
}

int64_t gt_image_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
  return LIBJPEG_TURBO_VERSION_NUMBER;
#else
  return JPEG_LIB_VERSION;
#endif
}
