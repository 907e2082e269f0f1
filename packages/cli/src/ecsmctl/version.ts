/**
 * The version of the program: that of its package, or the one that was put into the bundle. It loads nothing, because
 * `version` is what scripts call to see whether the tool is there.
 */
import type { Run, Terminal } from '@ecsm/command-line';

/** Only a bundle has it: it lies nowhere near a package.json. */
declare const __ECSM_VERSION__: string | undefined;

export const run: Run = async ({ terminal }) => {
  terminal.out.write(`ecsmctl ${await programVersion(terminal)}\n`);
};

async function programVersion({ files }: Terminal): Promise<string> {
  if (typeof __ECSM_VERSION__ === 'string') return __ECSM_VERSION__;
  const path = decodeURIComponent(new URL('../../package.json', import.meta.url).pathname);
  const bytes = await files.read(path);
  const found: unknown = JSON.parse(bytes ? new TextDecoder().decode(bytes) : '{}');
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown';
}
