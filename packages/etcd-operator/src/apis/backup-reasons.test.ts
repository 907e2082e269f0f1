/** Every reason of the tables is used, as in reasons.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { backupEventReasons, backupReasons, restoreEventReasons, restoreReasons } from './backup-reasons.ts';

const service = fileURLToPath(new URL('../service/', import.meta.url));
const textOf = (folder: string) =>
  readdirSync(`${service}${folder}`)
    .filter((name) => /^[a-z-]+\.ts$/u.test(name))
    .map((name) => readFileSync(`${service}${folder}/${name}`, 'utf8'))
    .join('\n');
const texts = textOf('backup') + textOf('restore');
const composed = ['BackupCompleted', 'BackupFailed', 'BackupSkipped', 'RehearsalPassed', 'RehearsalFailed'];

it('every reason of backups and restores is used by the service layer', () => {
  const all = { ...backupReasons, ...backupEventReasons, ...restoreReasons, ...restoreEventReasons };
  const unused = Object.keys(all).filter((reason) => !texts.includes(`'${reason}'`) && !composed.includes(reason));
  expect(unused).toEqual([]);
});
