// The tables, as Kysely sees them: the file of each noun declares its own, by the definition of its row.
// Times are milliseconds, money is micro-USD, both integers of 64 bits.
// Why: docs/decisions/130-a-row-is-defined-once.md

// biome-ignore lint/suspicious/noEmptyInterface: each noun adds its tables
export interface Database {}
