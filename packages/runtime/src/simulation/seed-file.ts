/**
 * Failed seeds by scenario. Every run repeats them first, against regressions. It is a JSON file under version control:
 * the name of a scenario and a sorted list of numbers.
 */
import { ApiError } from '../api/errors.ts';

export type KeptSeeds = Readonly<Record<string, readonly number[]>>;

/** Access to the file. The kit itself does no file I/O. */
export interface SeedFile {
  /** Returns undefined if the file does not exist. */
  read(): string | undefined;
  write(text: string): void;
}

export function readSeeds(file: SeedFile | undefined): KeptSeeds {
  const text = file?.read();
  if (text === undefined || text.trim() === '') return {};
  const parsed: unknown = JSON.parse(text);
  if (!isKeptSeeds(parsed)) {
    throw new ApiError('BadRequest', {
      reason: 'the seed file must map scenario names to lists of integers',
    });
  }
  return parsed;
}

/** Adds a failed seed, unless the file contains it. */
export function keepSeed(file: SeedFile, scenario: string, seed: number): void {
  const kept = readSeeds(file);
  const seeds = kept[scenario] ?? [];
  if (seeds.includes(seed)) return;
  const next = { ...kept, [scenario]: [...seeds, seed].sort((one, other) => one - other) };
  const sorted = Object.fromEntries(Object.entries(next).sort(([one], [other]) => (one < other ? -1 : 1)));
  file.write(`${JSON.stringify(sorted, null, 2)}\n`);
}

function isKeptSeeds(value: unknown): value is KeptSeeds {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((seeds) => Array.isArray(seeds) && seeds.every(Number.isSafeInteger));
}
