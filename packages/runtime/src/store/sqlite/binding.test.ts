import { describe, expect, it } from 'vitest';
import { type Binding, checkVersion, loadBinding, loadOne } from './binding.ts';

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

describe('SQLite', () => {
  const fails = () => Promise.reject(new Error('no such file'));

  it('is that of the library, or that of Node.js on a machine for which the library has none', async () => {
    const library = await loadBinding();
    const builtIn: Binding = { DatabaseSync: library.DatabaseSync };
    const loads = (binding: Binding) => () => Promise.resolve(binding);
    expect(await loadOne(loads(library), fails)).toBe(library);
    expect(await loadOne(fails, loads(builtIn))).toBe(builtIn);
  });

  it('is unavailable if there is neither', async () => {
    await expect(loadOne(fails, fails)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining(`no prebuilt library could be loaded for ${process.platform}-${process.arch}`),
      cause: expect.objectContaining({ message: 'no such file' }),
    });
  });
});
