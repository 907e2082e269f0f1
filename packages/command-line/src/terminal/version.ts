/** The version of a program: the one that was put into its bundle, or that of its package. */
import { readFileSync } from 'node:fs';

/** Only bundles define it: they are not installed beside a package.json. */
declare const __ECSM_VERSION__: string | undefined;

export function versionOf(packageJson: URL): string {
  if (typeof __ECSM_VERSION__ === 'string') return __ECSM_VERSION__;
  const found: unknown = JSON.parse(readFileSync(packageJson, 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown';
}
