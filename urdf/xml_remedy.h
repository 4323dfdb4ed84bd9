/* SPDX-License-Identifier: MIT */
/*
 * XML: remedies for text that is not well-formed.
 */
#ifndef TD_XML_REMEDY_H
#define TD_XML_REMEDY_H

/* What to do about an error of libxml2 with that code; never NULL, whatever the code. */
const char *td_xml_remedy(int code);

#endif
