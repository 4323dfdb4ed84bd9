/* SPDX-License-Identifier: MIT */
/*
 * The attribute of internal functions that the command and the Python package use. The shared
 * library exports them under the version TANDEM_PRIVATE (package/abi/tandem.map), for packages that
 * are installed only together with a library of the same build.
 */
#ifndef TD_PRIVATE_H
#define TD_PRIVATE_H

#if defined(__GNUC__) && !defined(_WIN32)
#define TD_PRIVATE __attribute__((visibility("default")))
#else
#define TD_PRIVATE
#endif

#endif
