package duck

// scalarSpellings are templates by function, and where that matters by number of
// arguments; see fill. Functions that are not here are written by code.
var scalarSpellings = map[string]string{
	// operators and conditions
	"^": "xor($1, $2)", "~": "(~$1)", "not": "(NOT $1)", "between": "($1 BETWEEN $2 AND $3)",
	"isnull": "($1 IS NULL)", "isnotnull": "($1 IS NOT NULL)", "istrue": "($1 IS TRUE)", "isfalse": "($1 IS FALSE)", "isunknown": "($1 IS NULL)",
	"if": "CASE WHEN $1 THEN $2 ELSE $3 END", "coalesce": "coalesce($*)", "ifnull": "coalesce($1, $2)",
	"nvl2":  "CASE WHEN $1 IS NOT NULL THEN $2 ELSE $3 END",
	"nanvl": "CASE WHEN isnan($1) THEN $2 ELSE $1 END", "greatest": "greatest($*)", "least": "least($*)",
	"raise_error": "error($1)", "assert_true": "CASE WHEN NOT coalesce($1, false) THEN error('''assert_true'' failed') END",
	"assert_true/2": "CASE WHEN NOT coalesce($1, false) THEN error($2) END",

	// numbers
	"abs": "abs($1)", "sign": "spark_sign($1)", "rint": "round_even($1, 0)", "sqrt": "spark_sqrt($1)", "cbrt": "cbrt($1)", "exp": "exp($1)",
	"expm1": "spark_expm1($1)", "power": "pow($1, $2)", "ln": "spark_ln($1)", "log": "spark_ln($1)", "log/2": "spark_log($1, $2)",
	"log10": "spark_log10($1)", "log2": "spark_log2($1)", "log1p": "spark_log1p($1)",
	"sin": "sin(spark_angle($1))", "cos": "cos(spark_angle($1))", "tan": "tan(spark_angle($1))", "cot": "(1 / tan(spark_angle($1)))", "sec": "(1 / cos(spark_angle($1)))", "csc": "(1 / sin(spark_angle($1)))",
	"asin": "CASE WHEN abs($1) <= 1 THEN asin($1) WHEN $1 IS NOT NULL THEN 'NaN'::DOUBLE END",
	"acos": "CASE WHEN abs($1) <= 1 THEN acos($1) WHEN $1 IS NOT NULL THEN 'NaN'::DOUBLE END", "atan": "atan($1)", "atan2": "atan2($1, $2)",
	"sinh": "sinh($1)", "cosh": "cosh($1)", "tanh": "tanh($1)", "asinh": "asinh($1)",
	"acosh":   "CASE WHEN $1 >= 1 THEN acosh($1) WHEN $1 IS NOT NULL THEN 'NaN'::DOUBLE END",
	"atanh":   "CASE WHEN abs($1) < 1 THEN atanh($1) WHEN abs($1) = 1 THEN $1 * 'inf'::DOUBLE WHEN $1 IS NOT NULL THEN 'NaN'::DOUBLE END",
	"degrees": "degrees($1)", "radians": "radians($1)", "hypot": "sqrt($1 * $1 + $2 * $2)", "pi": "pi()", "e": "exp(1.0::DOUBLE)",
	"factorial": "CASE WHEN $1 BETWEEN 0 AND 20 THEN CAST(factorial($1) AS BIGINT) END", "isnan": "coalesce(isnan($1), false)",
	"bin": "spark_bin($1)", "unhex": "spark_unhex($1)", "conv": "spark_conv($1, $2, $3)", "width_bucket": "spark_width_bucket($1, $2, $3, $4)",
	"shiftleft": "spark_shift_left_$T($1, $2)", "shiftright": "spark_shift_right_$T($1, $2)", "shiftrightunsigned": "spark_shift_unsigned_$T($1, $2)",
	"bit_get": "CAST((CAST($1 AS BIGINT) >> $2) & 1 AS TINYINT)", "rand": "random()", "randn": "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())",
	"uuid": "CAST(uuid() AS VARCHAR)", "bitmap_bit_position": "spark_bit_position($1)", "bitmap_bucket_number": "spark_bucket_number($1)",

	// texts
	"upper": "upper(replace($1, 'ß', 'SS'))", "lower": "lower($1)", "initcap": "spark_initcap($1)", "length": "CAST(length($1) AS INTEGER)",
	"trim": "trim($1, ' ')", "trim/2": "trim($2, $1)", "btrim": "trim($1, ' ')", "btrim/2": "trim($1, $2)", "ltrim": "ltrim($1, ' ')",
	"ltrim/2": "ltrim($2, $1)", "rtrim": "rtrim($1, ' ')", "rtrim/2": "rtrim($2, $1)",
	"lpad": "spark_lpad($1, $2, ' ')", "lpad/3": "spark_lpad($1, $2, $3)", "rpad": "spark_rpad($1, $2, ' ')", "rpad/3": "spark_rpad($1, $2, $3)",
	"repeat": "repeat($1, spark_count($2))", "space": "repeat(' ', spark_count($1))", "reverse": "reverse($1)",
	"substring": "spark_substring($1, $2, 2147483647)", "substring/3": "spark_substring($1, $2, $3)", "left": "left($1, spark_count($2))",
	"right": "right($1, spark_count($2))", "instr": "CAST(instr($1, $2) AS INTEGER)", "locate": "CAST(instr($2, $1) AS INTEGER)",
	"locate/3": "spark_locate($1, $2, $3)", "replace": "spark_replace($1, $2, '')", "replace/3": "spark_replace($1, $2, $3)",
	"translate": "translate($1, $2, $3)", "overlay": "spark_overlay($1, $2, $3, length($2))", "overlay/4": "spark_overlay($1, $2, $3, $4)",
	"split_part": "spark_split_part($1, $2, $3)", "substring_index": "spark_substring_index($1, $2, $3)", "find_in_set": "spark_find_in_set($1, $2)",
	"startswith": "starts_with($1, $2)", "endswith": "ends_with($1, $2)", "contains": "contains($1, $2)",
	"ascii": "CASE WHEN $1 = '' THEN 0 ELSE unicode($1) END", "chr": "spark_chr($1)", "base64": "base64($1)", "unbase64": "spark_unbase64($1)",
	"md5": "md5($1)", "sha1": "sha1($1)", "crc32": "spark_crc32($1)", "soundex": "spark_soundex($1)",
	"levenshtein":   "spark_levenshtein($1, $2)",
	"levenshtein/3": "CASE WHEN spark_levenshtein($1, $2) <= $3 THEN spark_levenshtein($1, $2) WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN -1 END",
	"parse_url":     "spark_parse_url($1, $2)", "parse_url/3": "spark_parse_url_key($1, $2, $3)",
	"url_encode": "replace(url_encode($1), '%20', '+')", "url_decode": "url_decode(replace($1, '+', '%20'))",
	"luhn_check": "spark_luhn($1)", "json_array_length": "spark_json_array_length($1)",

	// dates and times
	"current_date": "CAST(make_timestamp(epoch_us(now())) AS DATE)", "current_timestamp": "make_timestamp(epoch_us(now()))",
	"localtimestamp": "make_timestamp(epoch_us(now()))", "current_timezone": "'UTC'",
	"year": "CAST(year($1) AS INTEGER)", "quarter": "CAST(quarter($1) AS INTEGER)", "month": "CAST(month($1) AS INTEGER)",
	"day": "CAST(day($1) AS INTEGER)", "dayofweek": "CAST(dayofweek($1) + 1 AS INTEGER)", "weekday": "CAST(isodow($1) - 1 AS INTEGER)",
	"dayofyear": "CAST(dayofyear($1) AS INTEGER)", "weekofyear": "CAST(weekofyear($1) AS INTEGER)", "hour": "CAST(hour($1) AS INTEGER)",
	"minute": "CAST(minute($1) AS INTEGER)", "second": "CAST(second($1) AS INTEGER)",
	"timestamp_millis": "make_timestamp($1 * 1000)", "timestamp_micros": "make_timestamp($1)",
	"unix_seconds": "spark_floor_div(epoch_us($1), 1000000)", "unix_millis": "spark_floor_div(epoch_us($1), 1000)", "unix_micros": "epoch_us($1)",
	"unix_date": "CAST($1 - DATE '1970-01-01' AS INTEGER)", "date_from_unix_date": "(DATE '1970-01-01' + $1)", "date_sub": "($1 - $2)",
	"add_months": "CAST($1 + to_months($2) AS DATE)",
	"last_day":   "last_day($1)", "next_day": "spark_next_day($1, $2)",
	"make_ym_interval/0": "to_months(0)", "make_ym_interval/1": "to_months($1 * 12)", "make_ym_interval": "to_months($1 * 12 + $2)",

	// the session
	"version": "'3.5.0'", "current_user": "'eslake'", "current_database": "'default'", "current_catalog": "'spark_catalog'",
	"monotonically_increasing_id": "(row_number() OVER () - 1)",
	"grouping":                    "CAST(grouping($1) AS TINYINT)", "grouping_id": "CAST(grouping_id($*) AS BIGINT)",
}
