import { describe, expect, it } from 'vitest';
import { checkVersion } from './binding.ts';

describe('the version of SQLite', () => {
  it.each(['3.51.3', '3.51.10', '3.53.0', '4.0.0'])('%s is accepted', (version) => {
    expect(() => checkVersion(version)).not.toThrow();
  });

  it.each(['3.45.1', '3.51.2', '3.51', '2.8.17'])('%s is refused: it can corrupt a database in WAL mode', (version) => {
    expect(() => checkVersion(version)).toThrow(
      `SQLite is unavailable: version ${version} can corrupt a database that several processes write: 3.51.3 or newer is needed`,
    );
  });
});
