/** Which characters a terminal can show. */
import type { Terminal } from '@ecsm/command-line';

/** Whether the terminal can show blocks and lines, which are not in ASCII. */
export function supportsUnicode({ env }: Pick<Terminal, 'env'>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return env['TERM'] !== 'linux' && (!locale || /utf-?8/i.test(locale));
}
