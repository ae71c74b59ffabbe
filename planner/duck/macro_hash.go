package duck

// macrosHash are sums and hashes that DuckDB does not have. Numbers are kept
// unsigned, in types with room for a product.
const macrosHash = `
CREATE OR REPLACE TEMP MACRO spark_byte(h, i) AS CAST('0x' || substring(h, i * 2 + 1, 2) AS UBIGINT);
CREATE OR REPLACE TEMP MACRO spark_crc_hex(h) AS xor(list_reduce(list_concat([4294967295::UBIGINT], flatten(list_transform(range(0, length(h) // 2), lambda i: [spark_byte(h, i), 0, 0, 0, 0, 0, 0, 0]))), lambda c, e: xor(xor(c, e) >> 1, CASE WHEN xor(c, e) & 1 = 1 THEN 3988292384::UBIGINT ELSE 0 END)), 4294967295::UBIGINT);
CREATE OR REPLACE TEMP MACRO spark_crc32(b) AS CASE WHEN b IS NOT NULL THEN CAST(spark_crc_hex(hex(b)) AS BIGINT) END;
CREATE OR REPLACE TEMP MACRO spark_letters(s, all_letters) AS array_to_string(list_transform(string_split(s, ''), lambda c: chr(CAST(list_position(all_letters, c) AS INTEGER))), '');
CREATE OR REPLACE TEMP MACRO spark_levenshtein(a, b) AS CAST(CASE WHEN octet_length(encode(a || b)) = length(a || b) THEN levenshtein(a, b) WHEN a = '' OR b = '' THEN length(a || b) ELSE levenshtein(spark_letters(a, list_distinct(string_split(a || b, ''))), spark_letters(b, list_distinct(string_split(a || b, '')))) END AS INTEGER);
CREATE OR REPLACE TEMP MACRO spark_mul32(a, b) AS (a * b) & 4294967295::UBIGINT;
CREATE OR REPLACE TEMP MACRO spark_rotl32(x, r) AS ((x << r) | (x >> (32 - r))) & 4294967295::UBIGINT;
CREATE OR REPLACE TEMP MACRO spark_mix32(h, k) AS (spark_rotl32(xor(h, spark_mul32(spark_rotl32(spark_mul32(k, 3432918353::UBIGINT), 15), 461845907::UBIGINT)), 13) * 5 + 3864292196::UBIGINT) & 4294967295::UBIGINT;
CREATE OR REPLACE TEMP MACRO spark_end32(h) AS list_transform(list_transform(list_transform([h], lambda a: spark_mul32(xor(a, a >> 16), 2246822507::UBIGINT)), lambda a: spark_mul32(xor(a, a >> 13), 3266489909::UBIGINT)), lambda a: xor(a, a >> 16))[1];
CREATE OR REPLACE TEMP MACRO spark_murmur(words, n, seed) AS spark_end32(xor(list_reduce(list_concat([seed], words), lambda h, k: spark_mix32(h, k)), n::UBIGINT));
CREATE OR REPLACE TEMP MACRO spark_unsigned32(x) AS CAST(CAST(x AS BIGINT) & 4294967295 AS UBIGINT);
CREATE OR REPLACE TEMP MACRO spark_murmur_int(x, seed) AS spark_murmur([spark_unsigned32(x)], 4, seed);
CREATE OR REPLACE TEMP MACRO spark_murmur_long(x, seed) AS spark_murmur([spark_unsigned32(x), spark_unsigned32(CAST(x AS BIGINT) >> 32)], 8, seed);
CREATE OR REPLACE TEMP MACRO spark_murmur_hex(h, seed) AS spark_murmur(list_concat(list_transform(range(0, length(h) // 8), lambda i: spark_byte(h, i * 4) | (spark_byte(h, i * 4 + 1) << 8) | (spark_byte(h, i * 4 + 2) << 16) | (spark_byte(h, i * 4 + 3) << 24)), list_transform(range(length(h) // 8 * 4, length(h) // 2), lambda i: CASE WHEN spark_byte(h, i) >= 128 THEN spark_byte(h, i) + 4294967040::UBIGINT ELSE spark_byte(h, i) END)), length(h) // 2, seed);
CREATE OR REPLACE TEMP MACRO spark_signed32(x) AS CAST(CASE WHEN x >= 2147483648 THEN CAST(x AS BIGINT) - 4294967296 ELSE CAST(x AS BIGINT) END AS INTEGER);
CREATE OR REPLACE TEMP MACRO spark_low64(x) AS x & 18446744073709551615::UHUGEINT;
CREATE OR REPLACE TEMP MACRO spark_mul64(a, b) AS spark_low64(a * b);
CREATE OR REPLACE TEMP MACRO spark_rotl64(x, r) AS spark_low64((x << r) | (x >> (64 - r)));
CREATE OR REPLACE TEMP MACRO spark_round64(w) AS spark_mul64(spark_rotl64(spark_mul64(w, 14029467366897019727::UHUGEINT), 31::UHUGEINT), 11400714785074694791::UHUGEINT);
CREATE OR REPLACE TEMP MACRO spark_mix64_8(h, w) AS spark_low64(spark_mul64(spark_rotl64(xor(h, spark_round64(w)), 27::UHUGEINT), 11400714785074694791::UHUGEINT) + 9650029242287828579::UHUGEINT);
CREATE OR REPLACE TEMP MACRO spark_mix64_4(h, w) AS spark_low64(spark_mul64(spark_rotl64(xor(h, spark_mul64(w, 11400714785074694791::UHUGEINT)), 23::UHUGEINT), 14029467366897019727::UHUGEINT) + 1609587929392839161::UHUGEINT);
CREATE OR REPLACE TEMP MACRO spark_mix64_1(h, w) AS spark_mul64(spark_rotl64(xor(h, spark_mul64(w, 2870177450012600261::UHUGEINT)), 11::UHUGEINT), 11400714785074694791::UHUGEINT);
CREATE OR REPLACE TEMP MACRO spark_end64(h) AS list_transform(list_transform(list_transform([h], lambda a: spark_mul64(xor(a, a >> 33::UHUGEINT), 14029467366897019727::UHUGEINT)), lambda a: spark_mul64(xor(a, a >> 29::UHUGEINT), 1609587929392839161::UHUGEINT)), lambda a: xor(a, a >> 32::UHUGEINT))[1];
CREATE OR REPLACE TEMP MACRO spark_unsigned64(x) AS CAST('0x' || hex(CAST(x AS BIGINT)) AS UBIGINT)::UHUGEINT;
CREATE OR REPLACE TEMP MACRO spark_xx_int(x, seed) AS spark_end64(spark_mix64_4(spark_low64(seed + 2870177450012600265::UHUGEINT), spark_unsigned32(x)::UHUGEINT));
CREATE OR REPLACE TEMP MACRO spark_xx_long(x, seed) AS spark_end64(spark_mix64_8(spark_low64(seed + 2870177450012600269::UHUGEINT), spark_unsigned64(x)));
CREATE OR REPLACE TEMP MACRO spark_word64(h, i, n) AS CAST('0x' || array_to_string(list_transform(range(n - 1, -1, -1), lambda k: substring(h, (i + k) * 2 + 1, 2)), '') AS UBIGINT)::UHUGEINT;
CREATE OR REPLACE TEMP MACRO spark_xx_lane(h, start, k) AS list_reduce(list_concat([spark_low64(start)], list_transform(range(0, length(h) // 64), lambda i: spark_word64(h, i * 32 + k * 8, 8))), lambda v, w: spark_mul64(spark_rotl64(spark_low64(v + spark_mul64(w, 14029467366897019727::UHUGEINT)), 31::UHUGEINT), 11400714785074694791::UHUGEINT));
CREATE OR REPLACE TEMP MACRO spark_xx_lanes(h, seed) AS [spark_xx_lane(h, seed + 11400714785074694791::UHUGEINT + 14029467366897019727::UHUGEINT, 0), spark_xx_lane(h, seed + 14029467366897019727::UHUGEINT, 1), spark_xx_lane(h, seed, 2), spark_xx_lane(h, seed + 7046029288634856825::UHUGEINT, 3)];
CREATE OR REPLACE TEMP MACRO spark_xx_merge(lanes) AS list_reduce(list_concat([spark_low64(spark_rotl64(lanes[1], 1::UHUGEINT) + spark_rotl64(lanes[2], 7::UHUGEINT) + spark_rotl64(lanes[3], 12::UHUGEINT) + spark_rotl64(lanes[4], 18::UHUGEINT))], lanes), lambda a, v: spark_low64(spark_mul64(xor(a, spark_round64(v)), 11400714785074694791::UHUGEINT) + 9650029242287828579::UHUGEINT));
CREATE OR REPLACE TEMP MACRO spark_xx_start(h, seed) AS spark_low64(CAST(length(h) // 2 AS UHUGEINT) + CASE WHEN length(h) >= 64 THEN list_transform([spark_xx_lanes(h, seed)], lambda l: spark_xx_merge(l))[1] ELSE seed + 2870177450012600261::UHUGEINT END);
CREATE OR REPLACE TEMP MACRO spark_xx_words(h, seed) AS list_reduce(list_concat([spark_xx_start(h, seed)], list_transform(range(length(h) // 64 * 4, length(h) // 16), lambda i: spark_word64(h, i * 8, 8))), lambda a, w: spark_mix64_8(a, w));
CREATE OR REPLACE TEMP MACRO spark_xx_half(h, a) AS CASE WHEN length(h) % 16 >= 8 THEN spark_mix64_4(a, spark_word64(h, length(h) // 16 * 8, 4)) ELSE a END;
CREATE OR REPLACE TEMP MACRO spark_xx_hex(h, seed) AS spark_end64(list_reduce(list_concat(list_transform([spark_xx_words(h, seed)], lambda a: spark_xx_half(h, a)), list_transform(range(length(h) // 8 * 4, length(h) // 2), lambda i: spark_byte(h, i)::UHUGEINT)), lambda a, w: spark_mix64_1(a, w)));
CREATE OR REPLACE TEMP MACRO spark_signed64(x) AS CAST(CASE WHEN x >= 9223372036854775808::UHUGEINT THEN CAST(x AS HUGEINT) - 18446744073709551616::HUGEINT ELSE CAST(x AS HUGEINT) END AS BIGINT);
`
