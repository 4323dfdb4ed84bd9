# SPDX-License-Identifier: MIT
#
# Rounds the numbers of a CSV table to 6 digits, and those below 1e-9 to zero: what rounding leaves
# differs between compilers.
BEGIN { FS = OFS = "," }
{
    for (i = 1; i <= NF; i++)
        if ($i ~ /^-?[0-9.]+(e-?[0-9]+)?$/)
            $i = $i * $i < 1e-18 ? 0 : sprintf("%.6g", $i)
    print
}
