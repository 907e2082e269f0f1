/** How much is simulated, and how long that may take. `OPERATOR_SEEDS` says how many seeds; default 5,000. */
export const seedsInAll = Number(process.env['OPERATOR_SEEDS'] ?? 5_000);
export const timeoutMs = 3_600_000;
