/* SPDX-License-Identifier: MIT */
/*
 * Suggests remedies for malformed XML. libxml2 reports what it found; the mistake is usually just
 * before.
 */
#include "xml_remedy.h"

#include <libxml/xmlerror.h>
#include <stddef.h>

const char *td_xml_remedy(int code)
{
    static const struct {
        int code;
        const char *remedy;
    } remedies[] = {
        {XML_ERR_UNDECLARED_ENTITY,
         "use only &lt; &gt; &amp; &quot; &apos; and character references"},
        {XML_ERR_TAG_NOT_FINISHED, "close every element; the file may be cut off"},
        {XML_ERR_DOCUMENT_END, "a document has one root element, and nothing after it"},
        {XML_ERR_TAG_NAME_MISMATCH,
         "close that element first: the last one opened is the first to close"},
        {XML_ERR_ATTRIBUTE_REDEFINED, "keep one of the two attributes"},
        {XML_ERR_ATTRIBUTE_NOT_STARTED, "put the value in quotes: name=\"value\""},
        {XML_ERR_ATTRIBUTE_NOT_FINISHED, "end the value with the quote that it begins with"},
        {XML_ERR_ATTRIBUTE_WITHOUT_VALUE, "give the attribute a value: name=\"value\""},
        {XML_ERR_LT_IN_ATTRIBUTE, "close the value before it with its quote, or write &lt; for <"},
        {XML_ERR_SPACE_REQUIRED, "separate attributes by blanks"},
        {XML_ERR_NAME_REQUIRED, "outside tags and entities, write &lt; for < and &amp; for &"},
        {XML_ERR_ENTITYREF_SEMICOL_MISSING, "write &amp; for &, or end the reference with ;"},
        {XML_ERR_ENTITYREF_NO_NAME, "write &amp; for &"},
        {XML_ERR_INVALID_DEC_CHARREF, "write a character as &#65; or &#x41;"},
        {XML_ERR_INVALID_HEX_CHARREF, "write a character as &#65; or &#x41;"},
        {XML_ERR_GT_REQUIRED, "end the tag with >, and write attributes as name=\"value\""},
        {XML_ERR_LTSLASH_REQUIRED, "close every element; the file may be cut off"},
        {XML_ERR_COMMENT_NOT_FINISHED, "end the comment with -->"},
        {XML_ERR_HYPHEN_IN_COMMENT, "a comment cannot contain --"},
        {XML_ERR_CDATA_NOT_FINISHED, "end the section with ]]>"},
        {XML_ERR_PI_NOT_FINISHED, "end the instruction with ?>"},
        {XML_ERR_RESERVED_XML_NAME, "<?xml ...?> is allowed only at the beginning of the file"},
        {XML_ERR_INVALID_CHAR, "remove the character: XML has no control characters"},
        {XML_ERR_INVALID_ENCODING, "save the file as UTF-8"},
        {XML_ERR_UNKNOWN_ENCODING, "save the file as UTF-8, and declare UTF-8 or no encoding"},
        {XML_ERR_UNSUPPORTED_ENCODING, "save the file as UTF-8, and declare UTF-8 or no encoding"},
        {XML_I18N_CONV_FAILED, "save the file as UTF-8, and declare UTF-8 or no encoding"},
    };
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (code == remedies[i].code)
            return remedies[i].remedy;
    return "correct the tag here or just before";
}
