/** The version of the program: that of its package, or the one that was put into the bundle. */
import { readFileSync } from 'node:fs';
import { shape } from '@ecsm/runtime';

/** Only a bundle has it: it lies nowhere near a package.json. */
declare const __ECSM_VERSION__: string | undefined;

const description = shape.object({ version: shape.string() });

export function programVersion(): string {
  if (typeof __ECSM_VERSION__ === 'string') return __ECSM_VERSION__;
  const found: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return hasVersion(found) ? found.version : 'unknown';
}

function hasVersion(found: unknown): found is { readonly version: string } {
  return description.check(found) === undefined;
}
