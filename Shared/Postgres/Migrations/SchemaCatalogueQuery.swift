/// The statement behind ``SchemaCatalogue``.
enum SchemaCatalogueQuery {
    /// Gives `name` and `definition` of each object of schema `$1`.
    static let sql = """
        WITH s AS (SELECT oid, nspowner, nspacl, nspname FROM pg_namespace WHERE nspname = $1),
        r AS (
            SELECT c.*, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view'
                WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table'
                ELSE c.relkind::text END AS kind
            FROM pg_class c JOIN s ON s.oid = c.relnamespace WHERE c.relkind NOT IN ('i', 'I', 'c', 't')),
        f AS (
            SELECT p.*, p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS signature
            FROM pg_proc p JOIN s ON s.oid = p.pronamespace)
        \([
            relations, columns, constraints, indexes, triggers, functions, rules, policies, views, types, grants,
        ].joined(separator: "\nUNION ALL\n"))
        """

    /// Whether an object belongs to the schema's owner; who owns it may do anything to it.
    private static func owner(_ column: String) -> String {
        """
        CASE WHEN \(column) = (SELECT nspowner FROM s) THEN 'of the owner' ELSE 'of ' || pg_get_userbyid(\(column)) END
        """
    }

    private static let relations = """
        SELECT (r.kind || ' ' || r.relname)::text AS name, concat_ws(', ', \(owner("r.relowner")),
            CASE r.relpersistence WHEN 'p' THEN NULL ELSE 'persistence ' || r.relpersistence::text END,
            array_to_string(r.reloptions, ', '), CASE WHEN r.relrowsecurity THEN 'row security' END,
            CASE WHEN r.relforcerowsecurity THEN 'forced' END,
            (SELECT string_agg('inherits ' || i.inhparent::regclass::text, ', ') FROM pg_inherits i
                WHERE i.inhrelid = r.oid))::text AS definition FROM r
        """

    private static let columns = """
        SELECT 'column ' || r.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
            CASE WHEN a.attnotnull THEN 'not null' END,
            CASE WHEN a.attcollation <> t.typcollation THEN 'collate ' || a.attcollation::regcollation::text END,
            'default ' || pg_get_expr(d.adbin, d.adrelid), nullif('identity ' || a.attidentity::text, 'identity '),
            nullif('generated ' || a.attgenerated::text, 'generated '))
        FROM r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
        """

    /// Without those of type `n`: PostgreSQL 18 lists `not null` of columns as constraints.
    private static let constraints = """
        SELECT 'constraint ' || c.conname || ' on ' || r.relname, concat_ws(' ', pg_get_constraintdef(c.oid),
            CASE WHEN NOT c.convalidated THEN 'not validated' END)
        FROM pg_constraint c JOIN r ON r.oid = c.conrelid WHERE c.contype <> 'n'
        """

    private static let indexes = """
        SELECT 'index ' || i.relname || ' on ' || r.relname, concat_ws(' ', pg_get_indexdef(i.oid),
            CASE WHEN NOT (x.indisvalid AND x.indisready AND x.indislive) THEN 'invalid' END)
        FROM pg_index x JOIN r ON r.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
        """

    /// The trigger of a constraint is listed only when it does not fire.
    private static let triggers = """
        SELECT CASE WHEN t.tgisinternal THEN 'constraint trigger of ' || coalesce(k.conname, '?')
            ELSE 'trigger ' || t.tgname END || ' on ' || r.relname,
            CASE t.tgenabled WHEN 'A' THEN 'always: ' WHEN 'O' THEN 'unless replicating: ' WHEN 'D' THEN 'disabled: '
                ELSE 'replicating only: ' END || CASE WHEN t.tgisinternal THEN '' ELSE pg_get_triggerdef(t.oid) END
        FROM pg_trigger t JOIN r ON r.oid = t.tgrelid LEFT JOIN pg_constraint k ON k.oid = t.tgconstraint
        WHERE NOT t.tgisinternal OR t.tgenabled <> 'O'
        """

    private static let functions = """
        SELECT CASE f.prokind WHEN 'f' THEN 'function ' WHEN 'p' THEN 'procedure ' ELSE 'function of kind ' || f.prokind::text
            || ' ' END || f.signature, concat_ws(', ', \(owner("f.proowner")),
            coalesce('returns ' || pg_get_function_result(f.oid), 'returns nothing'), l.lanname, f.provolatile::text,
            CASE WHEN f.prosecdef THEN 'security definer' END, array_to_string(f.proconfig, ', '),
            'source ' || encode(sha256(convert_to(f.prosrc, 'UTF8')), 'hex'))
        FROM f JOIN pg_language l ON l.oid = f.prolang
        """

    private static let rules = """
        SELECT 'rule ' || w.rulename || ' on ' || r.relname, w.ev_enabled::text || ': ' || pg_get_ruledef(w.oid)
        FROM pg_rewrite w JOIN r ON r.oid = w.ev_class WHERE w.rulename <> '_RETURN'
        """

    private static let policies = """
        SELECT 'policy ' || p.polname || ' on ' || r.relname, concat_ws(' ', p.polcmd::text, p.polpermissive::text,
            (SELECT string_agg(coalesce(o.rolname, 'PUBLIC'), ', ' ORDER BY o.rolname)
                FROM unnest(p.polroles) u LEFT JOIN pg_roles o ON o.oid = u),
            pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
        FROM pg_policy p JOIN r ON r.oid = p.polrelid
        """

    /// Without the qualifiers of columns, which versions write or not.
    private static let views = """
        SELECT 'definition of view ' || r.relname,
            regexp_replace(pg_get_viewdef(r.oid), '\\m[a-z_][a-z_0-9]*\\.(?=[a-z_"])', '', 'g')
        FROM r WHERE r.relkind IN ('v', 'm')
        """

    private static let types = """
        SELECT 'type ' || t.typname, concat_ws(' ', t.typtype::text, \(owner("t.typowner")),
            CASE WHEN t.typbasetype <> 0 THEN format_type(t.typbasetype, t.typtypmod) END)
        FROM pg_type t JOIN s ON s.oid = t.typnamespace WHERE t.typtype IN ('d', 'e', 'r', 'm', 'b') AND t.typelem = 0
        """

    private static let grants = """
        SELECT 'rights of ' || g.grantee || ' on ' || g.object, string_agg(DISTINCT g.privilege, ', '
            ORDER BY g.privilege)
        FROM (
            SELECT o.object, coalesce(u.rolname, 'PUBLIC')::text AS grantee,
                a.privilege_type || CASE WHEN a.is_grantable THEN ' with grant option' ELSE '' END AS privilege
            FROM (
                SELECT 'the schema' AS object, nspowner AS owner, nspacl AS acl FROM s
                UNION ALL SELECT r.relname, r.relowner, r.relacl FROM r
                UNION ALL SELECT r.relname || '.' || a.attname, r.relowner, a.attacl FROM r
                    JOIN pg_attribute a ON a.attrelid = r.oid AND NOT a.attisdropped
                UNION ALL SELECT f.signature, f.proowner, coalesce(f.proacl, acldefault('f', f.proowner)) FROM f
                UNION ALL SELECT 'future objects ' || d.defaclobjtype::text, d.defaclrole, d.defaclacl FROM pg_default_acl d
                    JOIN s ON s.oid = d.defaclnamespace) o
            CROSS JOIN LATERAL aclexplode(o.acl) a LEFT JOIN pg_roles u ON u.oid = a.grantee
            WHERE a.grantee <> o.owner
                AND (a.privilege_type NOT IN ('SELECT', 'USAGE') OR u.rolname = (SELECT nspname FROM s) || '_service')) g
        GROUP BY g.grantee, g.object
        """
}
