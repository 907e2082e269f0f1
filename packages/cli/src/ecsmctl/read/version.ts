/** `version`. Loads nothing else, because scripts call it to check whether the tool is installed. */
import { type Run, versionOf } from '@ecsm/command-line';

export const run: Run = async ({ terminal }) =>
  terminal.out.write(`ecsmctl ${versionOf(new URL('../../../package.json', import.meta.url))}\n`);
