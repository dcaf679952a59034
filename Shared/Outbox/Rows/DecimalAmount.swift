/// Decimal amounts in SQL, for operators who read a service's tables with psql: 12640 fen are 126.40.
public enum DecimalAmount {
    /// The function `decimal_amount(minor_units, currency)`, for a migration of the service.
    ///
    /// It repeats the exponents of `Currency`, because a migration that has run is never changed. A currency with
    /// another exponent needs a new migration.
    public static func migrationSQL(schema: String) -> String {
        """
        CREATE FUNCTION \(schema).decimal_amount(minor_units bigint, currency text) RETURNS numeric
            LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
            SELECT minor_units * CASE
                WHEN currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI',
                    'VND', 'VUV', 'XAF', 'XOF', 'XPF') THEN 1
                WHEN currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 0.001
                WHEN currency IN ('CLF', 'UYW') THEN 0.0001
                ELSE 0.01 END
            $$;
        COMMENT ON FUNCTION \(schema).decimal_amount(bigint, text) IS 'An amount in the currency''s major unit';
        """
    }
}
