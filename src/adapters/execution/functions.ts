/**
 * The functions of DuckDB 1.5.6 that the kind sql may use. Each result depends on the arguments alone, at any time
 * and on any processor. A function of a later DuckDB is refused until someone has reviewed it and adds it here.
 */

const lines = (text: string) => text.split(/\s+/).filter((name) => name !== "");

const operators = lines(`
  !__postfix !~~ !~~* % & && * + - ->> / // <@ >> << @ @> ^@ | || ~ ~~ ~~* ~~~ add subtract multiply divide mod not_like_escape
  like_escape ilike_escape not_ilike_escape`);

const numbers = lines(`
  abs bin bit_count bit_length bit_position bitstring ceil ceiling chr even factorial fdiv floor fmod format_bytes from_base64
  from_binary from_hex gcd get_bit greatest greatest_common_divisor isfinite isinf isnan lcm least least_common_multiple nextafter
  nullif pi round round_even roundbankers set_bit sign sqrt to_base to_base64 to_binary to_hex trunc unbin unhex xor degrees radians
  hash md5 md5_number md5_number_lower md5_number_upper sha1 sha256 hex`);

const texts = lines(`
  array_to_string array_to_string_comma_default ascii bar base64 char_length character_length concat concat_ws contains
  damerau_levenshtein decode editdist3 encode ends_with format formatReadableDecimalSize formatReadableSize hamming instr jaccard
  jaro_similarity lcase left left_grapheme len length length_grapheme levenshtein lower lpad ltrim mismatches nfc_normalize
  octet_length ord parse_dirname parse_dirpath parse_filename parse_formatted_bytes parse_path position prefix printf regexp_escape
  regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table
  repeat replace reverse right right_grapheme rpad rtrim split split_part starts_with str_split str_split_regex string_split
  string_split_regex string_to_array strip_accents strlen strpos substr substring substring_grapheme suffix translate trim ucase
  unicode upper url_decode url_encode`);

const times = lines(`
  age century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek
  dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear julian last_day make_date make_time
  make_timestamp make_timestamp_ms make_timestamp_ns microsecond millennium millisecond minute month monthname nanosecond
  normalized_interval quarter second strftime strptime time_bucket to_centuries to_days to_decades to_hours to_microseconds
  to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_weeks to_years try_strptime week weekday weekofyear
  year yearweek`);

const lists = lines(`
  apply array_aggr array_aggregate array_append array_apply array_cat array_concat array_contains array_distinct array_extract
  array_filter array_grade_up array_has array_has_all array_has_any array_indexof array_intersect array_length array_pop_back
  array_pop_front array_position array_prepend array_push_back array_push_front array_reduce array_resize array_reverse
  array_reverse_sort array_select array_slice array_sort array_transform array_unique array_value array_where array_zip aggregate
  cardinality element_at filter flatten generate_series generate_subscripts grade_up list_aggr list_aggregate list_any_value
  list_append list_apply list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or
  list_cat list_concat list_contains list_count list_distinct list_element list_extract list_filter list_first list_grade_up
  list_has list_has_all list_has_any list_histogram list_indexof list_intersect list_last list_mad list_max list_median list_min
  list_mode list_pack list_position list_prepend list_product list_reduce list_resize list_reverse list_reverse_sort list_select
  list_slice list_sort list_string_agg list_sum list_transform list_unique list_value list_where list_zip map map_concat
  map_contains map_contains_entry map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys map_values
  range reduce row struct_concat struct_contains struct_extract struct_extract_at struct_has struct_indexof struct_insert
  struct_keys struct_pack struct_position struct_update struct_values union_extract union_tag union_value unnest unpivot_list`);

const json = lines(`
  array_to_json from_json from_json_strict json json_array json_array_length json_contains json_exists json_extract
  json_extract_path json_extract_path_text json_extract_string json_group_array json_group_object json_group_structure json_keys
  json_merge_patch json_object json_pretty json_quote json_structure json_transform json_transform_strict json_type json_valid
  json_value row_to_json to_json`);

const others = lines("typeof pg_typeof uuid_extract_timestamp uuid_extract_version");

const aggregates = lines(`
  any_value approx_count_distinct approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null
  arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or count count_if count_star
  countif cume_dist dense_rank favg fill first first_value fsum group_concat histogram histogram_exact kahan_sum lag last
  last_value lead list listagg mad max max_by mean median min min_by mode nth_value ntile percent_rank product quantile
  quantile_disc rank rank_dense regr_count row_number string_agg sum sum_no_overflow sumkahan wavg weighted_avg`);

export const STEADY: ReadonlySet<string> = new Set(
  [operators, numbers, texts, times, lists, json, others, aggregates]
    .flat()
    .map((name) => name.toLowerCase()),
);

/**
 * Functions whose last digit depends on the processor: by the C library's variant (with or without fused
 * multiply-add), or by a compiler that may fuse.
 */
export const OF_PROCESSOR: ReadonlySet<string> = new Set([
  ...lines(`
    sin cos tan cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp ln log log2 log10 pow power ** ^ cbrt gamma lgamma
    entropy list_entropy equi_width_bins approx_quantile quantile_cont stddev stddev_pop stddev_samp variance var_pop var_samp sem
    corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy kurtosis
    kurtosis_pop skewness jaro_winkler_similarity array_cross_product <-> <=> <#> geomean geometric_mean`),
  ...["list", "array"].flatMap((of) =>
    lines(
      "distance cosine_similarity cosine_distance inner_product dot_product negative_inner_product negative_dot_product",
    ).map((name) => `${of}_${name}`),
  ),
]);

/** Functions that produce rows from their arguments alone. Others reveal the machine, or execute an unchecked text. */
export const ROWS_OF_ARGUMENTS: ReadonlySet<string> = new Set(
  lines("range generate_series unnest json_each json_tree"),
);
