package duck

// Macros are the SQL functions that spelled expressions call. They are temporary:
// run them on every connection when it is opened.
const Macros = macrosNumber + macrosText + macrosTime + macrosArray + macrosHash

const macrosNumber = `
CREATE OR REPLACE TEMP MACRO spark_integer(x) AS CASE WHEN regexp_matches(trim(x, E' \t\n\r'), '^[+-]?[0-9]+$') THEN trim(x, E' \t\n\r') END;
CREATE OR REPLACE TEMP MACRO spark_floor_div(a, b) AS (a - ((a % b) + b) % b) // b;
CREATE OR REPLACE TEMP MACRO spark_quotient(n, d) AS CASE WHEN d <> 0 THEN n // d + CASE WHEN abs(n % d) >= abs(d) - abs(n % d) THEN CASE WHEN (n < 0) = (d < 0) THEN 1 ELSE -1 END ELSE 0 END END;
CREATE OR REPLACE TEMP MACRO spark_round_whole(n, d) AS spark_quotient(n, d);
CREATE OR REPLACE TEMP MACRO spark_floor_whole(n, d) AS n // d - CASE WHEN n % d < 0 THEN 1 ELSE 0 END;
CREATE OR REPLACE TEMP MACRO spark_ceil_whole(n, d) AS n // d + CASE WHEN n % d > 0 THEN 1 ELSE 0 END;
CREATE OR REPLACE TEMP MACRO spark_bround_whole(n, d) AS n // d + CASE WHEN abs(n % d) > d - abs(n % d) OR (abs(n % d) = d - abs(n % d) AND (n // d) % 2 <> 0) THEN CASE WHEN n < 0 THEN -1 ELSE 1 END ELSE 0 END;
CREATE OR REPLACE TEMP MACRO spark_round_double(x, d) AS CASE WHEN isfinite(x) AND abs(x) < 1e15 AND d BETWEEN 0 AND 18 THEN CAST(round(CAST(CAST(x AS VARCHAR) AS DECIMAL(38,20)), d) AS DOUBLE) WHEN isfinite(x) AND d < 0 THEN round(x, d) ELSE x END;
CREATE OR REPLACE TEMP MACRO spark_bround_double(x, d) AS CASE WHEN isfinite(x) THEN round_even(x, d) ELSE x END;
CREATE OR REPLACE TEMP MACRO spark_cut_BIGINT(x) AS CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807 THEN 9223372036854775807 WHEN x <= -9223372036854775808 THEN -9223372036854775808 ELSE CAST(trunc(x) AS BIGINT) END;
CREATE OR REPLACE TEMP MACRO spark_cut_INTEGER(x) AS CAST(CASE WHEN isnan(x) THEN 0 WHEN x >= 2147483647 THEN 2147483647 WHEN x <= -2147483648 THEN -2147483648 ELSE trunc(x) END AS INTEGER);
CREATE OR REPLACE TEMP MACRO spark_wrap_TINYINT(x) AS CAST(xor(CAST(x AS BIGINT) & 255, 128) - 128 AS TINYINT);
CREATE OR REPLACE TEMP MACRO spark_wrap_SMALLINT(x) AS CAST(xor(CAST(x AS BIGINT) & 65535, 32768) - 32768 AS SMALLINT);
CREATE OR REPLACE TEMP MACRO spark_wrap_INTEGER(x) AS CAST(xor(CAST(x AS BIGINT) & 4294967295, 2147483648) - 2147483648 AS INTEGER);
CREATE OR REPLACE TEMP MACRO spark_signed(x) AS CAST(CASE WHEN x > 9223372036854775807 THEN x - 18446744073709551616::HUGEINT ELSE x END AS BIGINT);
CREATE OR REPLACE TEMP MACRO spark_low(x) AS spark_signed(CAST(x AS HUGEINT) & 18446744073709551615::HUGEINT);
CREATE OR REPLACE TEMP MACRO spark_wrap_BIGINT(x) AS CAST(x AS BIGINT);
CREATE OR REPLACE TEMP MACRO spark_float(x) AS CASE WHEN isfinite(x) AND abs(x) >= 3.4028235677973366e38 THEN CASE WHEN x > 0 THEN 'inf'::FLOAT ELSE '-inf'::FLOAT END ELSE CAST(x AS FLOAT) END;
CREATE OR REPLACE TEMP MACRO spark_not_nan(x) AS CASE WHEN NOT isnan(x) THEN x END;
CREATE OR REPLACE TEMP MACRO spark_skewness(g, n, v) AS CASE WHEN n = 2 AND v > 0 THEN 0.0::DOUBLE WHEN n > 2 AND v > 0 THEN g * (n - 2) / sqrt(CAST(n AS DOUBLE) * (n - 1)) END;
CREATE OR REPLACE TEMP MACRO spark_angle(x) AS CASE WHEN isinf(x) THEN 'NaN'::DOUBLE ELSE x END;
CREATE OR REPLACE TEMP MACRO spark_sign(x) AS CASE WHEN isnan(x) THEN x ELSE CAST(sign(x) AS DOUBLE) END;
CREATE OR REPLACE TEMP MACRO spark_sqrt(x) AS CASE WHEN x < 0 THEN 'NaN'::DOUBLE ELSE sqrt(x) END;
CREATE OR REPLACE TEMP MACRO spark_ln(x) AS CASE WHEN x > 0 THEN ln(x) END;
CREATE OR REPLACE TEMP MACRO spark_log(b, x) AS CASE WHEN x > 0 AND b > 0 THEN ln(x) / ln(b) END;
CREATE OR REPLACE TEMP MACRO spark_log10(x) AS CASE WHEN x > 0 THEN log10(x) END;
CREATE OR REPLACE TEMP MACRO spark_log2(x) AS CASE WHEN x > 0 THEN ln(x) / ln(2) END;
CREATE OR REPLACE TEMP MACRO spark_log1p(x) AS CASE WHEN x > -1 THEN CASE WHEN abs(x) > 1e-5 THEN ln(1 + x) ELSE x - x * x / 2 + x * x * x / 3 END END;
CREATE OR REPLACE TEMP MACRO spark_expm1(x) AS CASE WHEN abs(x) > 1e-5 THEN exp(x) - 1 ELSE x + x * x / 2 + x * x * x / 6 END;
CREATE OR REPLACE TEMP MACRO spark_width_bucket(v, lo, hi, n) AS CASE WHEN n > 0 AND lo <> hi THEN CAST(CASE WHEN lo < hi THEN CASE WHEN v < lo THEN 0 WHEN v >= hi THEN n + 1 ELSE floor((v - lo) / (hi - lo) * n) + 1 END ELSE CASE WHEN v > lo THEN 0 WHEN v <= hi THEN n + 1 ELSE floor((lo - v) / (lo - hi) * n) + 1 END END AS BIGINT) END;
CREATE OR REPLACE TEMP MACRO spark_shift_left_INTEGER(x, n) AS spark_wrap_INTEGER((CAST(x AS BIGINT) & 4294967295) * (1::BIGINT << (n & 31)) & 4294967295);
CREATE OR REPLACE TEMP MACRO spark_shift_left_BIGINT(x, n) AS CAST(CASE WHEN ((CAST(x AS HUGEINT) * (1::HUGEINT << (n & 63))) & 18446744073709551615::HUGEINT) > 9223372036854775807 THEN ((CAST(x AS HUGEINT) * (1::HUGEINT << (n & 63))) & 18446744073709551615::HUGEINT) - 18446744073709551616::HUGEINT ELSE (CAST(x AS HUGEINT) * (1::HUGEINT << (n & 63))) & 18446744073709551615::HUGEINT END AS BIGINT);
CREATE OR REPLACE TEMP MACRO spark_shift_right_INTEGER(x, n) AS x >> (n & 31);
CREATE OR REPLACE TEMP MACRO spark_shift_right_BIGINT(x, n) AS x >> CAST(n & 63 AS BIGINT);
CREATE OR REPLACE TEMP MACRO spark_shift_unsigned_INTEGER(x, n) AS spark_wrap_INTEGER((CAST(x AS BIGINT) & 4294967295) >> CAST(n & 31 AS BIGINT));
CREATE OR REPLACE TEMP MACRO spark_shift_unsigned_BIGINT(x, n) AS CASE WHEN n & 63 = 0 THEN x ELSE CAST((CAST(x AS HUGEINT) & 18446744073709551615::HUGEINT) >> CAST(n & 63 AS HUGEINT) AS BIGINT) END;
CREATE OR REPLACE TEMP MACRO spark_bit_position(x) AS CASE WHEN x > 0 THEN (x - 1) % 32768 ELSE (-x) % 32768 END;
CREATE OR REPLACE TEMP MACRO spark_bucket_number(x) AS CASE WHEN x > 0 THEN 1 + (x - 1) // 32768 ELSE x // 32768 END;
CREATE OR REPLACE TEMP MACRO spark_bin(x) AS CASE WHEN x = 0 THEN '0' ELSE ltrim(CAST(CAST(x AS BIT) AS VARCHAR), '0') END;
CREATE OR REPLACE TEMP MACRO spark_hex(x) AS CASE WHEN x >= 0 THEN printf('%X', x) ELSE hex(CAST(CAST(x AS BIT) AS BLOB)) END;
CREATE OR REPLACE TEMP MACRO spark_unhex(x) AS TRY(unhex(CASE WHEN length(x) % 2 = 1 THEN '0' || x ELSE x END));
CREATE OR REPLACE TEMP MACRO spark_base_value(t, b) AS list_reduce(list_transform(string_split(lower(t), ''), lambda c: CAST(instr('0123456789abcdefghijklmnopqrstuvwxyz', c) - 1 AS HUGEINT)), lambda a, d: least(a * b + d, 18446744073709551615::HUGEINT));
CREATE OR REPLACE TEMP MACRO spark_base_digits(n, b) AS CASE WHEN n = 0 THEN '0' ELSE ltrim(struct_extract(list_reduce(list_transform(range(0, 66), lambda i: struct_pack(v := CASE WHEN i = 0 THEN CAST(n AS HUGEINT) ELSE 0::HUGEINT END, s := '')), lambda a, e: struct_pack(v := a.v // b, s := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[CAST(a.v % b AS INTEGER) + 1] || a.s)), 's'), '0') END;
CREATE OR REPLACE TEMP MACRO spark_number(x) AS CASE WHEN regexp_matches(x, '^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$') THEN trim(x) WHEN regexp_matches(x, '(?i)^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[df]\s*$') THEN rtrim(trim(x), 'dDfF') WHEN regexp_matches(x, '(?i)^\s*([+-]?inf(inity)?|nan)\s*$') THEN trim(x) END;
CREATE OR REPLACE TEMP MACRO spark_whole(x) AS CASE WHEN regexp_matches(x, '^[\x00-\x20]*[+-]?\.\d*[\x00-\x20]*$') THEN '0' ELSE regexp_extract(x, '^[\x00-\x20]*([+-]?\d+)(\.\d*)?[\x00-\x20]*$', 1) END;
CREATE OR REPLACE TEMP MACRO spark_boolean(x) AS CASE WHEN regexp_matches(x, '(?i)^\s*(t|true|y|yes|1)\s*$') THEN true WHEN regexp_matches(x, '(?i)^\s*(f|false|n|no|0)\s*$') THEN false END;
CREATE OR REPLACE TEMP MACRO spark_mantissa(d) AS d[1] || '.' || CASE WHEN length(d) > 1 THEN d[2:] ELSE '0' END;
CREATE OR REPLACE TEMP MACRO spark_float_text(x) AS CASE WHEN isnan(x) THEN 'NaN' WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END WHEN x = 0 OR (abs(x) >= 0.001 AND abs(x) < 10000000) THEN CAST(x AS VARCHAR)
  WHEN contains(CAST(x AS VARCHAR), 'e') THEN CASE WHEN contains(split_part(CAST(x AS VARCHAR), 'e', 1), '.') THEN split_part(CAST(x AS VARCHAR), 'e', 1) ELSE split_part(CAST(x AS VARCHAR), 'e', 1) || '.0' END || 'E' || CAST(CAST(split_part(CAST(x AS VARCHAR), 'e', 2) AS INTEGER) AS VARCHAR)
  WHEN abs(x) >= 1 THEN CASE WHEN x < 0 THEN '-' ELSE '' END || spark_mantissa(CASE WHEN rtrim(replace(CAST(abs(x) AS VARCHAR), '.', ''), '0') = '' THEN '0' ELSE rtrim(replace(CAST(abs(x) AS VARCHAR), '.', ''), '0') END) || 'E' || (length(split_part(CAST(abs(x) AS VARCHAR), '.', 1)) - 1)
  WHEN x IS NOT NULL THEN CASE WHEN x < 0 THEN '-' ELSE '' END || spark_mantissa(ltrim(split_part(CAST(abs(x) AS VARCHAR), '.', 2), '0')) || 'E-' || (length(split_part(CAST(abs(x) AS VARCHAR), '.', 2)) - length(ltrim(split_part(CAST(abs(x) AS VARCHAR), '.', 2), '0')) + 1) END;
CREATE OR REPLACE TEMP MACRO spark_commas(t) AS CASE WHEN t IN ('nan', 'inf', '-inf') THEN t ELSE regexp_extract(t, '^-?') || regexp_replace(regexp_replace(reverse(regexp_replace(reverse(split_part(ltrim(t, '-'), '.', 1)), '(\d{3})', '\1,', 'g')), '^,', ''), '^$', '0') || CASE WHEN contains(t, '.') THEN '.' || split_part(t, '.', 2) ELSE '' END END;
`

const macrosText = `
CREATE OR REPLACE TEMP MACRO spark_join(l, s) AS CASE WHEN s IS NULL THEN NULL WHEN len(l) = 0 THEN '' ELSE list_reduce(l, lambda a, e: a || s || e) END;
CREATE OR REPLACE TEMP MACRO spark_substring(s, p, n) AS CASE WHEN n IS NULL THEN NULL WHEN n <= 0 THEN CASE WHEN s IS NOT NULL AND p IS NOT NULL THEN '' END WHEN p > 0 THEN substring(s, p, n) WHEN p = 0 THEN substring(s, 1, n) WHEN -p <= length(s) THEN substring(s, length(s) + p + 1, n) WHEN p < 0 THEN substring(s, 1, greatest(n::BIGINT + length(s) + p, 0)) END;
CREATE OR REPLACE TEMP MACRO spark_bytes_substring(x, p, n) AS unhex(CASE WHEN n <= 0 THEN '' WHEN p > 0 THEN substring(hex(x), p * 2 - 1, n::BIGINT * 2) WHEN p = 0 THEN substring(hex(x), 1, n::BIGINT * 2) WHEN -p <= octet_length(x) THEN substring(hex(x), (octet_length(x) + p) * 2 + 1, n::BIGINT * 2) WHEN p < 0 THEN substring(hex(x), 1, greatest((n::BIGINT + octet_length(x) + p) * 2, 0)) END);
CREATE OR REPLACE TEMP MACRO spark_bytes_contains(x, y) AS len(list_filter(range(0, octet_length(x) - octet_length(y) + 1), lambda i: substring(hex(x), i * 2 + 1, octet_length(y) * 2) = hex(y))) > 0;
CREATE OR REPLACE TEMP MACRO spark_count(n) AS CASE WHEN n < 0 THEN 0 ELSE n END;
CREATE OR REPLACE TEMP MACRO spark_split_part(s, d, n) AS CASE WHEN d <> '' THEN split_part(s, d, n) WHEN d = '' THEN CASE WHEN n IN (1, -1) THEN s WHEN n IS NOT NULL THEN '' END END;
CREATE OR REPLACE TEMP MACRO spark_year_text(y) AS CASE WHEN y > 9999 THEN '+' || y WHEN y < 0 THEN '-' || lpad(CAST(-y AS VARCHAR), 4, '0') ELSE lpad(CAST(y AS VARCHAR), 4, '0') END;
CREATE OR REPLACE TEMP MACRO spark_date_text(d) AS CASE WHEN year(d) BETWEEN 1 AND 9999 THEN CAST(d AS VARCHAR) ELSE spark_year_text(year(d)) || strftime(d, '-%m-%d') END;
CREATE OR REPLACE TEMP MACRO spark_time_text(t) AS CASE WHEN year(t) BETWEEN 1 AND 9999 THEN CAST(t AS VARCHAR) ELSE spark_date_text(CAST(t AS DATE)) || ' ' || CAST(CAST(t AS TIME) AS VARCHAR) END;
CREATE OR REPLACE TEMP MACRO spark_exponent(t, least) AS CASE WHEN abs(TRY_CAST(t AS DOUBLE)) < least THEN '0' ELSE t END;
CREATE OR REPLACE TEMP MACRO spark_point_text(t) AS regexp_replace(t, '^(-?)\.', '\10.');
CREATE OR REPLACE TEMP MACRO spark_decimal_digits(t) AS CASE WHEN ltrim(t, '-.0') = '' THEN '0' ELSE ltrim(replace(t, '.', ''), '-0') END;
CREATE OR REPLACE TEMP MACRO spark_decimal_text(t, s) AS CASE WHEN length(spark_decimal_digits(t)) - 1 - s >= -6 THEN t ELSE CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END || spark_decimal_digits(t)[1] || CASE WHEN length(spark_decimal_digits(t)) > 1 THEN '.' || spark_decimal_digits(t)[2:] ELSE '' END || 'E' || (length(spark_decimal_digits(t)) - 1 - s) END;
CREATE OR REPLACE TEMP MACRO spark_lpad(s, n, p) AS CASE WHEN n <= 0 THEN CASE WHEN s IS NOT NULL AND p IS NOT NULL THEN '' END WHEN p IS NULL THEN NULL WHEN length(s) >= n THEN left(s, n) WHEN p = '' THEN s ELSE lpad(s, n, p) END;
CREATE OR REPLACE TEMP MACRO spark_rpad(s, n, p) AS CASE WHEN n <= 0 THEN CASE WHEN s IS NOT NULL AND p IS NOT NULL THEN '' END WHEN p IS NULL THEN NULL WHEN length(s) >= n THEN left(s, n) WHEN p = '' THEN s ELSE rpad(s, n, p) END;
CREATE OR REPLACE TEMP MACRO spark_locate(p, s, n) AS CASE WHEN n IS NULL THEN 0 WHEN n <= 0 THEN CASE WHEN p IS NOT NULL AND s IS NOT NULL THEN 0 END WHEN p = '' THEN CASE WHEN s IS NOT NULL THEN 1 END WHEN instr(substring(s, n), p) = 0 THEN 0 ELSE CAST(instr(substring(s, n), p) + n - 1 AS INTEGER) END;
CREATE OR REPLACE TEMP MACRO spark_replace(s, a, b) AS CASE WHEN a = '' THEN s ELSE replace(s, a, b) END;
CREATE OR REPLACE TEMP MACRO spark_overlay(s, r, p, n) AS left(s, p - 1) || r || CASE WHEN n < 0 THEN substring(s, p + length(r)) ELSE substring(s, p + n) END;
CREATE OR REPLACE TEMP MACRO spark_substring_index(s, d, n) AS CASE WHEN n = 0 OR d = '' THEN CASE WHEN s IS NOT NULL AND d IS NOT NULL THEN '' END WHEN n > 0 THEN spark_join(string_split(s, d)[1:n], d) WHEN n < 0 THEN spark_join(string_split(s, d)[greatest(len(string_split(s, d)) + n + 1, 1):], d) END;
CREATE OR REPLACE TEMP MACRO spark_find_in_set(s, l) AS CASE WHEN contains(s, ',') THEN 0 WHEN s IS NOT NULL AND l IS NOT NULL THEN CAST(coalesce(list_position(string_split(l, ','), s), 0) AS INTEGER) END;
CREATE OR REPLACE TEMP MACRO spark_chr(n) AS CASE WHEN n < 0 THEN '' WHEN n % 256 = 0 THEN chr(0) ELSE chr(CAST(n % 256 AS INTEGER)) END;
CREATE OR REPLACE TEMP MACRO spark_initcap(s) AS array_to_string(list_transform(string_split(lower(s), ' '), lambda w: upper(w[1]) || w[2:]), ' ');
CREATE OR REPLACE TEMP MACRO spark_unbase64(s) AS TRY(from_base64(rpad(rtrim(regexp_replace(s, '\s', '', 'g'), '='), CAST((length(rtrim(regexp_replace(s, '\s', '', 'g'), '=')) + 3) // 4 * 4 AS INTEGER), '=')));
CREATE OR REPLACE TEMP MACRO spark_conv_value(v, minus, b) AS CASE WHEN b > 0 THEN spark_base_digits(CASE WHEN NOT minus OR v = 0 THEN v WHEN v > 9223372036854775807 THEN 18446744073709551615::HUGEINT ELSE 18446744073709551616::HUGEINT - v END, b) ELSE CASE WHEN minus OR v > 9223372036854775807 THEN '-' ELSE '' END || spark_base_digits(CASE WHEN v > 9223372036854775807 THEN 18446744073709551616::HUGEINT - v ELSE v END, -b) END;
CREATE OR REPLACE TEMP MACRO spark_conv_digits(t, a, b) AS CASE WHEN ltrim(t, '-') = '' THEN '0' ELSE spark_conv_value(spark_base_value(ltrim(t, '-'), a), t[1] = '-', b) END;
CREATE OR REPLACE TEMP MACRO spark_conv(t, a, b) AS CASE WHEN abs(a) BETWEEN 2 AND 36 AND abs(b) BETWEEN 2 AND 36 AND trim(t) <> '' THEN spark_conv_digits(regexp_extract(lower(trim(t)), '^-?[' || substring('0123456789abcdefghijklmnopqrstuvwxyz', 1, abs(a)) || ']*'), abs(a), b) END;
CREATE OR REPLACE TEMP MACRO spark_mask_one(c, u, l, d, o) AS CASE WHEN regexp_matches(c, '^\p{Lu}') THEN coalesce(u, c) WHEN regexp_matches(c, '^\p{Ll}') THEN coalesce(l, c) WHEN regexp_matches(c, '^\d') THEN coalesce(d, c) ELSE coalesce(o, c) END;
CREATE OR REPLACE TEMP MACRO spark_mask(s, u, l, d, o) AS CASE WHEN s = '' THEN '' ELSE array_to_string(list_transform(string_split(s, ''), lambda c: spark_mask_one(c, u, l, d, o)), '') END;
CREATE OR REPLACE TEMP MACRO spark_sound(c) AS CASE WHEN c IN ('B', 'F', 'P', 'V') THEN '1' WHEN c IN ('C', 'G', 'J', 'K', 'Q', 'S', 'X', 'Z') THEN '2' WHEN c IN ('D', 'T') THEN '3' WHEN c = 'L' THEN '4' WHEN c IN ('M', 'N') THEN '5' WHEN c = 'R' THEN '6' WHEN c IN ('H', 'W') THEN '' ELSE '0' END;
CREATE OR REPLACE TEMP MACRO spark_soundex(s) AS CASE WHEN NOT regexp_matches(s, '^[A-Za-z]') THEN s ELSE rpad(upper(s[1]) || left(replace(regexp_replace(regexp_replace(array_to_string(list_transform(string_split(upper(s), ''), lambda c, i: CASE WHEN i = 1 AND c IN ('H', 'W') THEN '7' ELSE spark_sound(c) END), ''), '1+|2+|3+|4+|5+|6+|0+|7', '<\0>', 'g'), '<(\d)\d*>', '\1', 'g')[2:], '0', ''), 3), 4, '0') END;
CREATE OR REPLACE TEMP MACRO spark_regexp_instr(s, p) AS CASE WHEN NOT regexp_matches(s, p) THEN 0 ELSE CAST(instr(s, regexp_extract(s, p)) AS INTEGER) END;
CREATE OR REPLACE TEMP MACRO spark_split_at(parts, seps, n) AS parts[1:n-1] || [array_to_string(list_transform(range(n, len(parts) + 1), lambda i: parts[i] || CASE WHEN i < len(parts) THEN seps[i] ELSE '' END), '')];
CREATE OR REPLACE TEMP MACRO spark_split(s, p, n) AS CASE WHEN p IS NULL THEN NULL WHEN n <= 0 OR len(string_split_regex(s, p)) <= n THEN string_split_regex(s, p) ELSE spark_split_at(string_split_regex(s, p), regexp_extract_all(s, p), n) END;
CREATE OR REPLACE TEMP MACRO spark_parse_url(u, part) AS CASE part WHEN 'PROTOCOL' THEN nullif(regexp_extract(u, '^([A-Za-z][A-Za-z0-9+.-]*):', 1), '') WHEN 'HOST' THEN nullif(regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]*)', 1), '') WHEN 'AUTHORITY' THEN nullif(regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)', 1), '') WHEN 'PATH' THEN regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*([^?#]*)', 1) WHEN 'QUERY' THEN CASE WHEN contains(u, '?') THEN regexp_extract(u, '\?([^#]*)', 1) END WHEN 'REF' THEN CASE WHEN contains(u, '#') THEN regexp_extract(u, '#(.*)$', 1) END WHEN 'FILE' THEN regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*([^#]*)', 1) WHEN 'USERINFO' THEN CASE WHEN regexp_matches(u, '://[^/?#]*@') THEN regexp_extract(u, '://([^/?#@]*)@', 1) END END;
CREATE OR REPLACE TEMP MACRO spark_parse_url_key(u, part, k) AS CASE WHEN part = 'QUERY' AND regexp_matches(u, '[?&]' || regexp_escape(k) || '=') THEN regexp_extract(u, '[?&]' || regexp_escape(k) || '=([^&#]*)', 1) END;
CREATE OR REPLACE TEMP MACRO spark_json_array_length(j) AS CASE WHEN json_valid(j) AND json_type(j) = 'ARRAY' THEN CAST(json_array_length(j) AS INTEGER) END;
CREATE OR REPLACE TEMP MACRO spark_json_matches(l) AS CASE len(l) WHEN 0 THEN NULL WHEN 1 THEN CAST(l[1] AS VARCHAR) ELSE CAST(to_json(l) AS VARCHAR) END;
CREATE OR REPLACE TEMP MACRO spark_luhn(s) AS CASE WHEN regexp_matches(s, '^\d+$') THEN list_sum(list_transform(string_split(reverse(s), ''), lambda c, i: CASE WHEN i % 2 = 1 THEN CAST(c AS INTEGER) ELSE CAST(c AS INTEGER) * 2 - CASE WHEN CAST(c AS INTEGER) > 4 THEN 9 ELSE 0 END END)) % 10 = 0 WHEN s IS NOT NULL THEN false END;
CREATE OR REPLACE TEMP MACRO spark_json_records(j) AS CASE WHEN json_valid(j) THEN CASE WHEN json_type(j) = 'OBJECT' THEN CAST('[' || j || ']' AS JSON) ELSE CAST(j AS JSON) END END;
CREATE OR REPLACE TEMP MACRO spark_json_record(j) AS CASE WHEN j IS NULL OR trim(j) = '' THEN NULL WHEN NOT json_valid(j) THEN CAST('{}' AS JSON) WHEN json_type(j) = 'OBJECT' THEN CAST(j AS JSON) ELSE CAST('{}' AS JSON) END;
CREATE OR REPLACE TEMP MACRO spark_json_keys(j) AS CASE WHEN json_valid(j) AND json_type(j) = 'OBJECT' THEN json_keys(j) END;
CREATE OR REPLACE TEMP MACRO spark_json_field(j, k) AS CASE WHEN json_valid(j) THEN json_extract_string(j, spark_json_pointer(k)) END;
CREATE OR REPLACE TEMP MACRO spark_json_pointer(k) AS '/' || replace(replace(k, '~', '~0'), '/', '~1');
`

const macrosTime = `
CREATE OR REPLACE TEMP MACRO spark_date(x) AS TRY_CAST(CASE WHEN regexp_matches(x, '^\s*[+-]?\d{4,5}\s*$') THEN trim(x) || '-01-01' WHEN regexp_matches(x, '^\s*[+-]?\d{4,5}-\d{1,2}\s*$') THEN trim(x) || '-01' WHEN regexp_matches(x, '^\s*[+-]?\d{4,5}-\d{1,2}-\d{1,2}([ T].*)?\s*$') THEN regexp_extract(x, '\d{4,5}-\d{1,2}-\d{1,2}') END AS DATE);
CREATE OR REPLACE TEMP MACRO spark_zone(z) AS CASE WHEN regexp_matches(z, '^[+-]\d{1,2}(:?\d{1,2})?$') THEN to_minutes(CASE WHEN z[1] = '-' THEN -1 ELSE 1 END * (60 * CAST(regexp_extract(z, '^[+-](\d{1,2})', 1) AS INTEGER) + coalesce(TRY_CAST(regexp_extract(z, '^[+-]\d{1,2}:?(\d{1,2})$', 1) AS INTEGER), 0))) WHEN z IN ('', 'Z', 'UTC', 'GMT', 'UT') THEN to_minutes(0) END;
CREATE OR REPLACE TEMP MACRO spark_wall(x) AS CASE WHEN regexp_matches(x, '^\d{4,5}-\d{1,2}-\d{1,2}([ T]\d{1,2}(:\d{1,2}(:\d{1,2}(\.\d*)?)?)?)?$') THEN spark_date(x)
  + to_hours(CAST('0' || regexp_extract(x, '[ T](\d{1,2})', 1) AS INTEGER)) + to_minutes(CAST('0' || regexp_extract(x, '[ T]\d{1,2}:(\d{1,2})', 1) AS INTEGER)) + to_seconds(CAST('0' || regexp_extract(x, ':\d{1,2}:(\d{1,2})', 1) AS INTEGER))
  + to_microseconds(CAST(rpad(left(regexp_extract(x, '\.(\d*)$', 1), 6), 6, '0') AS INTEGER)) WHEN regexp_matches(x, '^\d{4,5}(-\d{1,2})?$') THEN CAST(spark_date(x) AS TIMESTAMP) END;
CREATE OR REPLACE TEMP MACRO spark_time_ok(x) AS coalesce(TRY_CAST(regexp_extract(x, '[ T](\d{1,2})', 1) AS INTEGER), 0) < 24 AND coalesce(TRY_CAST(regexp_extract(x, '[ T]\d{1,2}:(\d{1,2})', 1) AS INTEGER), 0) < 60 AND coalesce(TRY_CAST(regexp_extract(x, ':\d{1,2}:(\d{1,2})', 1) AS INTEGER), 0) < 60;
CREATE OR REPLACE TEMP MACRO spark_wall_part(x) AS regexp_extract(trim(x), '^(\d{4,5}(?:-\d{1,2}(?:-\d{1,2}(?:[ T]\d{1,2}(?::\d{1,2}(?::\d{1,2}(?:\.\d*)?)?)?)?)?)?)', 1);
CREATE OR REPLACE TEMP MACRO spark_zone_part(x) AS trim(substring(trim(x), length(spark_wall_part(x)) + 1));
CREATE OR REPLACE TEMP MACRO spark_timestamp(x) AS CASE WHEN NOT spark_time_ok(spark_wall_part(x)) THEN NULL WHEN spark_zone_part(x) = '' THEN spark_wall(spark_wall_part(x)) WHEN NOT regexp_matches(spark_wall_part(x), ':.*:') THEN NULL WHEN regexp_matches(spark_zone_part(x), '^[A-Za-z]{3}') AND spark_zone_part(x) NOT IN ('UTC', 'GMT') THEN make_timestamp(CAST(eslake_text('timestamp', 'UTC', x) AS BIGINT)) ELSE spark_wall(spark_wall_part(x)) - spark_zone(spark_zone_part(x)) END;
CREATE OR REPLACE TEMP MACRO spark_dated(x, today) AS CASE WHEN (starts_with(x, 'T') OR contains(substring(x, 1, 4), ':')) AND regexp_matches(x, '^(T\d{1,2}|\d{1,2}:\d{1,2}|T\d{1,2}:\d{1,2})(:\d{1,2}(\.\d*)?)?$') THEN today || ' ' || ltrim(x, 'T') ELSE x END;
CREATE OR REPLACE TEMP MACRO spark_timestamp_ntz(x) AS CASE WHEN spark_time_ok(spark_wall_part(x)) AND (spark_zone_part(x) = '' OR regexp_matches(spark_wall_part(x), ':.*:') AND spark_timestamp(x) IS NOT NULL) THEN spark_wall(spark_wall_part(x)) END;
CREATE OR REPLACE TEMP MACRO spark_month_days(d) AS (year(d) * 12 + month(d)) * 32 + day(d);
CREATE OR REPLACE TEMP MACRO spark_full_months(a, b) AS (spark_month_days(CASE WHEN CAST(b AS DATE) > CAST(a AS DATE) AND CAST(b AS TIME) < CAST(a AS TIME) THEN CAST(b AS DATE) - 1 WHEN CAST(b AS DATE) < CAST(a AS DATE) AND CAST(b AS TIME) > CAST(a AS TIME) THEN CAST(b AS DATE) + 1 ELSE CAST(b AS DATE) END) - spark_month_days(a)) // 32;
CREATE OR REPLACE TEMP MACRO spark_seconds(n) AS make_timestamp(n * 1000000);
CREATE OR REPLACE TEMP MACRO spark_seconds_double(x) AS CASE WHEN isfinite(x) THEN make_timestamp(CAST(trunc(x * 1000000) AS BIGINT)) END;
CREATE OR REPLACE TEMP MACRO spark_interval_seconds(x) AS to_microseconds(CAST(round(x * 1000000) AS BIGINT));
CREATE OR REPLACE TEMP MACRO spark_months(x) AS datepart('year', x) * 12 + datepart('month', x);
CREATE OR REPLACE TEMP MACRO spark_rest(n, d) AS n - n // d * d;
CREATE OR REPLACE TEMP MACRO spark_seconds_text(n) AS printf('%02d', n // 1000000) || CASE WHEN n % 1000000 <> 0 THEN '.' || rtrim(printf('%06d', n % 1000000), '0') ELSE '' END;
CREATE OR REPLACE TEMP MACRO spark_unit_text(n, u) AS CASE WHEN n <> 0 THEN n || ' ' || u END;
CREATE OR REPLACE TEMP MACRO spark_part_seconds(n) AS CASE WHEN n <> 0 THEN CASE WHEN n < 0 THEN '-' ELSE '' END || abs(n) // 1000000 || CASE WHEN n % 1000000 <> 0 THEN '.' || rtrim(printf('%06d', abs(n) % 1000000), '0') ELSE '' END || ' seconds' END;
CREATE OR REPLACE TEMP MACRO spark_interval_text(x) AS CASE WHEN x IS NOT NULL THEN coalesce(nullif(concat_ws(' ', spark_unit_text(datepart('year', x), 'years'), spark_unit_text(datepart('month', x), 'months'), spark_unit_text(datepart('day', x), 'days'), spark_unit_text(datepart('hour', x), 'hours'), spark_unit_text(datepart('minute', x), 'minutes'), spark_part_seconds(datepart('microsecond', x))), ''), '0 seconds') END;
CREATE OR REPLACE TEMP MACRO spark_months_apart(a, b, x, y) AS CASE WHEN day(a) = day(b) OR (CAST(a AS DATE) = last_day(a) AND CAST(b AS DATE) = last_day(b)) THEN CAST((year(a) - year(b)) * 12 + month(a) - month(b) AS DOUBLE) ELSE (year(a) - year(b)) * 12 + month(a) - month(b) + ((day(a) - day(b)) * 86400 + x // 1000000 - y // 1000000) / 2678400.0::DOUBLE END;
CREATE OR REPLACE TEMP MACRO spark_months_between_exact(a, b) AS spark_months_apart(a, b, epoch_us(a) - epoch_us(date_trunc('day', a)), epoch_us(b) - epoch_us(date_trunc('day', b)));
CREATE OR REPLACE TEMP MACRO spark_day_number(w) AS CASE WHEN lower(w) IN ('su', 'sun', 'sunday') THEN 7 WHEN lower(w) IN ('mo', 'mon', 'monday') THEN 1 WHEN lower(w) IN ('tu', 'tue', 'tuesday') THEN 2 WHEN lower(w) IN ('we', 'wed', 'wednesday') THEN 3 WHEN lower(w) IN ('th', 'thu', 'thursday') THEN 4 WHEN lower(w) IN ('fr', 'fri', 'friday') THEN 5 WHEN lower(w) IN ('sa', 'sat', 'saturday') THEN 6 END;
CREATE OR REPLACE TEMP MACRO spark_next_day(d, w) AS d + CAST((spark_day_number(trim(w)) - isodow(d) + 6) % 7 + 1 AS INTEGER);
CREATE OR REPLACE TEMP MACRO spark_trunc_date(u, d) AS CASE WHEN lower(u) IN ('year', 'yyyy', 'yy') THEN CAST(date_trunc('year', d) AS DATE) WHEN lower(u) = 'quarter' THEN CAST(date_trunc('quarter', d) AS DATE) WHEN lower(u) IN ('month', 'mon', 'mm') THEN CAST(date_trunc('month', d) AS DATE) WHEN lower(u) = 'week' THEN CAST(date_trunc('week', d) AS DATE) END;
CREATE OR REPLACE TEMP MACRO spark_trunc_timestamp(u, t) AS CASE WHEN lower(u) IN ('year', 'yyyy', 'yy', 'quarter', 'month', 'mon', 'mm', 'week') THEN CAST(spark_trunc_date(u, CAST(t AS DATE)) AS TIMESTAMP) WHEN lower(u) IN ('day', 'dd') THEN date_trunc('day', t) WHEN lower(u) IN ('hour', 'minute', 'second', 'millisecond', 'microsecond') THEN date_trunc(lower(u), t) END;
`

const macrosArray = `
CREATE OR REPLACE TEMP MACRO spark_has(l, v) AS coalesce(list_position(l, v), 0) > 0;
CREATE OR REPLACE TEMP MACRO spark_array_contains(l, v) AS CASE WHEN l IS NULL OR v IS NULL THEN NULL WHEN list_contains(l, v) THEN true WHEN list_count(l) < len(l) THEN NULL ELSE false END;
CREATE OR REPLACE TEMP MACRO spark_array_position(l, v) AS CASE WHEN l IS NOT NULL AND v IS NOT NULL THEN CAST(coalesce(list_position(l, v), 0) AS BIGINT) END;
CREATE OR REPLACE TEMP MACRO spark_distinct(l) AS list_filter(l, lambda e, i: list_position(l, e) = i);
CREATE OR REPLACE TEMP MACRO spark_array_remove(l, v) AS CASE WHEN v IS NOT NULL THEN list_filter(l, lambda e: e IS DISTINCT FROM v) END;
CREATE OR REPLACE TEMP MACRO spark_array_append(l, v) AS CASE WHEN l IS NOT NULL THEN list_append(l, v) END;
CREATE OR REPLACE TEMP MACRO spark_array_prepend(l, v) AS CASE WHEN l IS NOT NULL THEN list_prepend(v, l) END;
CREATE OR REPLACE TEMP MACRO spark_array_insert(l, p, v) AS CASE WHEN l IS NULL THEN NULL WHEN p > 0 THEN list_concat(list_concat(list_resize(l, p - 1), [v]), l[p:]) WHEN p < 0 AND len(l) + p + 1 >= 0 THEN list_concat(list_concat(l[1:len(l) + p + 1], [v]), l[len(l) + p + 2:]) WHEN p < 0 THEN list_concat(list_resize([v], CAST(-p - len(l) AS INTEGER)), l) END;
CREATE OR REPLACE TEMP MACRO spark_array_union(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN spark_distinct(list_concat(a, b)) END;
CREATE OR REPLACE TEMP MACRO spark_array_intersect(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(spark_distinct(a), lambda e: spark_has(b, e)) END;
CREATE OR REPLACE TEMP MACRO spark_array_except(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(spark_distinct(a), lambda e: NOT spark_has(b, e)) END;
CREATE OR REPLACE TEMP MACRO spark_arrays_overlap(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN list_has_any(list_filter(a, lambda e: e IS NOT NULL), list_filter(b, lambda e: e IS NOT NULL)) THEN true WHEN len(a) > 0 AND len(b) > 0 AND (list_count(a) < len(a) OR list_count(b) < len(b)) THEN NULL ELSE false END;
CREATE OR REPLACE TEMP MACRO spark_array_join(l, s, n) AS CASE WHEN n IS NOT NULL THEN spark_join(list_transform(l, lambda e: coalesce(e, n)), s) END;
CREATE OR REPLACE TEMP MACRO spark_array_repeat(v, n) AS CASE WHEN n IS NOT NULL THEN list_transform(range(CASE WHEN n < 0 THEN 0 ELSE n END), lambda i: v) END;
CREATE OR REPLACE TEMP MACRO spark_slice(l, p, n) AS CASE WHEN p > 0 THEN list_slice(l, p, p + n - 1) WHEN p < 0 AND len(l) + p >= 0 THEN list_slice(l, len(l) + p + 1, len(l) + p + n) WHEN p < 0 THEN l[1:0] END;
CREATE OR REPLACE TEMP MACRO spark_exists(l) AS CASE WHEN list_contains(l, true) THEN true WHEN list_count(l) < len(l) THEN NULL WHEN l IS NOT NULL THEN false END;
CREATE OR REPLACE TEMP MACRO spark_forall(l) AS CASE WHEN list_contains(l, false) THEN false WHEN list_count(l) < len(l) THEN NULL WHEN l IS NOT NULL THEN true END;
CREATE OR REPLACE TEMP MACRO spark_str_to_map(t, p, k) AS CASE WHEN p IS NOT NULL AND k IS NOT NULL THEN map_from_entries(list_transform(string_split_regex(t, p), lambda e: struct_pack(key := string_split_regex(e, k)[1], value := CASE WHEN regexp_matches(e, k) THEN substring(e, length(string_split_regex(e, k)[1]) + length(regexp_extract(e, k)) + 1) END))) END;
`
