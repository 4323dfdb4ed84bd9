// SPDX-License-Identifier: MIT
// Tables of motion: CSV with a header, as `tandem simulate` and others write them.

export interface Table {
    columns: string[];
    /** by column; NaN where a field is empty or no number */
    values: Float64Array[];
    rows: number;
}

/** The fields of a line; quotes as RFC 4180 has them. */
function fieldsOf(line: string): string[] {
    const fields: string[] = [];
    for (let at = 0; at <= line.length; ) {
        if (line[at] === '"') {
            let text = "";
            for (at++; at < line.length; at++) {
                if (line[at] === '"' && line[at + 1] === '"') text += line[at++];
                else if (line[at] === '"') break;
                else text += line[at];
            }
            fields.push(text);
            const comma = line.indexOf(",", at);
            at = comma < 0 ? line.length + 1 : comma + 1;
        } else {
            const comma = line.indexOf(",", at);
            fields.push(line.slice(at, comma < 0 ? undefined : comma).trim());
            at = comma < 0 ? line.length + 1 : comma + 1;
        }
    }
    return fields;
}

/** Throws where there is no header or no row. */
export function readTable(text: string): Table {
    const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
    const columns = fieldsOf(lines[0] ?? "");
    const rows = lines.length - 1;
    if (rows < 1) throw new Error("the table has no rows");
    const values = columns.map(() => new Float64Array(rows).fill(NaN));
    for (let r = 0; r < rows; r++)
        fieldsOf(lines[r + 1]!).forEach((field, k) => {
            if (field !== "" && values[k]) values[k][r] = Number(field);
        });
    return { columns, values, rows };
}

/** The quantity of a column and what it is of: "q:elbow" is q of elbow, "energy" energy of "". */
export function splitColumn(column: string): [string, string] {
    const colon = column.indexOf(":");
    return colon < 0 ? [column, ""] : [column.slice(0, colon), column.slice(colon + 1)];
}
