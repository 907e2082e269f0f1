/** `version`. */
import { type Run, versionOf } from '@ecsm/command-line';

export const run: Run = async ({ terminal }) =>
  terminal.out.write(`ecsm-cli ${versionOf(new URL('../../package.json', import.meta.url))}\n`);
