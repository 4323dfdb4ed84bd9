/* SPDX-License-Identifier: MIT */
/*
 * Prints the text of --version, see version.h.
 */
#include "version.h"

#include <stdbool.h>

#include "tandem/config.h"
#include "tandem/tandem.h"
#include "view_page.h"

/* Makes an empty model, since kernels are selected when a model is made. */
static td_model *least_model(void)
{
    td_model *model = NULL;
    td_builder *builder;
    td_builder_new("", &builder);
    const td_link world = td_link_default("world");
    if (builder != NULL && td_builder_add_link(builder, &world) == TD_OK) {
        td_builder_finish(builder, NULL, NULL, &model);
    }
    td_builder_free(builder);
    return model;
}

void put_version(FILE *stream)
{
    const struct {
        const char *name;
        bool here;
    } part[] = {
        {"submechanism lists", TANDEM_HAS_YAML},
        {"LAPACK", TD_HAVE_LAPACK},
        {"threads", TANDEM_HAS_THREADS},
        {"tables packed by gzip", TOOL_HAVE_ZLIB},
        {"page of tandem view", view_page_size() > 0},
    };
    td_model *model = least_model();
    fprintf(stream, "tandem %s\n", td_version());
    if (model != NULL) {
        fprintf(stream, "kernels: %s, %zu lanes\n", td_isa(model), td_lanes(model));
    }
    fprintf(stream, "build: %s, %s\n", TOOL_BUILD, TOOL_COMPILER);
    for (int here = 1; here >= 0; here--) {
        bool any = false;
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
            if (part[i].here == here) {
                fprintf(stream, "%s%s", any ? ", " : here ? "with: " : "without: ", part[i].name);
                any = true;
            }
        }
        fputs(any ? "\n" : "", stream);
    }
    td_model_free(model);
}
