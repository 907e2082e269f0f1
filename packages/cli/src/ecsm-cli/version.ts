/** `version`: that of the package, or the one that was put into the bundle. */
import type { Call } from '@ecsm/command-line';

/** Only a bundle has it: it lies nowhere near a package.json. */
declare const __ECSM_VERSION__: string | undefined;

export async function run({ terminal }: Call): Promise<void> {
  const version = typeof __ECSM_VERSION__ === 'string' ? __ECSM_VERSION__ : await versionOf(terminal.files.read);
  terminal.out.write(`ecsm-cli ${version}\n`);
}

async function versionOf(read: (path: string) => Promise<Uint8Array | undefined>): Promise<string> {
  const path = decodeURIComponent(new URL('../../package.json', import.meta.url).pathname);
  const [, version = 'unknown'] = /"version": "([^"]+)"/.exec(new TextDecoder().decode(await read(path))) ?? [];
  return version;
}
