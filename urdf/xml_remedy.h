/* SPDX-License-Identifier: MIT */
/*
 * Suggests remedies for malformed XML.
 */
#ifndef TD_XML_REMEDY_H
#define TD_XML_REMEDY_H

/* Returns a remedy for an error code of libxml2; never NULL. */
const char *td_xml_remedy(int code);

#endif
