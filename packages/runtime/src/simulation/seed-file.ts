/**
 * Seeds that failed once, by scenario. Every run repeats them first, so that what was mended stays mended. It is a JSON
 * file that people commit: a scenario's name and a sorted list of numbers.
 */
import { ApiError } from '../api/errors.ts';

export type KeptSeeds = Readonly<Record<string, readonly number[]>>;

/** The way to the file. The kit does not touch files itself. */
export interface SeedFile {
  /** Nothing if there is no such file. */
  read(): string | undefined;
  write(text: string): void;
}

export function readSeeds(file: SeedFile | undefined): KeptSeeds {
  const text = file?.read();
  if (text === undefined || text.trim() === '') return {};
  const parsed: unknown = JSON.parse(text);
  if (!isKeptSeeds(parsed)) {
    throw new ApiError('BadRequest', {
      reason: 'the file of seeds has to map names of scenarios to lists of integers',
    });
  }
  return parsed;
}

/** Adds a seed that failed. The file stays as it is if it knows the seed. */
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
