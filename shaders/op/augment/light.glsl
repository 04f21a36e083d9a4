/* The grey of red, green and blue, as torchvision has it. */
float gt_grey(float red, float green, float blue) { return 0.2989 * red + 0.587 * green + 0.114 * blue; }
