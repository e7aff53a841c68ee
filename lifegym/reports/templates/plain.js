/* What a page of tables alone needs. */
prepareTables(document);
