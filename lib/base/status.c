/* SPDX-License-Identifier: MIT */
/*
 * Texts of the status codes, and the version.
 */
#include "tandem/status.h"

#include "tandem/config.h"

const char *td_status_text(td_status status)
{
    switch (status) {
#define TD_STATUS_CASE(code, text)                                                                 \
    case code:                                                                                     \
        return text;
        TD_STATUS_TABLE(TD_STATUS_CASE)
#undef TD_STATUS_CASE
    }
    return "unknown status";
}

const char *td_version(void)
{
    return TANDEM_VERSION;
}
