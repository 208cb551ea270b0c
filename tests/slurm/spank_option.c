// A SPANK plug-in that, as pyxis does, registers an option of srun, --container-image=NAME, and acts on it in the step: here it
// puts the name into a variable of the ranks.
#include <stddef.h>
#include <string.h>

typedef struct spank_handle *spank_t;
struct spank_option {
  char *name, *arginfo, *usage;
  int has_arg, val;
  int (*callback)(int val, const char *argument, int remote);
};
int spank_setenv(spank_t spank, const char *name, const char *value, int overwrite);
int spank_remote(spank_t spank);

const char plugin_name[] = "container_image", plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER, spank_plugin_version = 1;

static char image[256];

static int take_image(int val, const char *argument, int remote) {
  (void)val, (void)remote;
  strncpy(image, argument, sizeof image - 1);
  return 0;
}

struct spank_option spank_options[] = {{"container-image", "NAME", "run the ranks in it", 1, 0, take_image},
                                       {NULL, NULL, NULL, 0, 0, NULL}};

int slurm_spank_user_init(spank_t spank, int count, char **arguments) {
  (void)count, (void)arguments;
  return image[0] != '\0' && spank_remote(spank) == 1 ? spank_setenv(spank, "CONTAINER_IMAGE", image, 1) : 0;
}
