/** Named questions about a process, and the answers as Kubernetes words them. */
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { within } from './within.ts';

/** Nothing if all is well, else why not. To throw is to fail. */
export type Check = () => string | undefined | Promise<string | undefined>;

export type Checks = Readonly<Record<string, Check>>;

/** A check that hangs has failed. */
export const CHECK_MS_MAX = 5_000;
const reasonCharactersMax = 1_000;

export interface Finding {
  readonly name: string;
  /** Why it failed; absent if it passed. */
  readonly reason?: string;
  readonly excluded?: boolean;
}

export interface Report {
  readonly passed: boolean;
  /** Line by line, as with `?verbose`. */
  readonly text: string;
}

/** Asks all checks at once. Excluded ones are listed, but not asked. */
export async function examine(
  title: string,
  checks: Checks,
  exclude: ReadonlySet<string>,
  clock: Clock,
): Promise<Report> {
  const findings = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<Finding> => {
      if (exclude.has(name)) return { name, excluded: true };
      const reason = await examineOne(check, clock);
      return reason === undefined ? { name } : { name, reason };
    }),
  );
  const passed = findings.every(({ reason }) => reason === undefined);
  const unknown = [...exclude].filter((name) => !Object.hasOwn(checks, name));
  const warnings = unknown.map((name) => `warn: no check "${oneLine(name)}" to exclude`);
  const end = `${title} check ${passed ? 'passed' : 'failed'}`;
  return { passed, text: `${[...findings.map(lineOf), ...warnings, end].join('\n')}\n` };
}

/** Why a check failed; nothing if it passed. */
export async function examineOne(check: Check, clock: Clock): Promise<string | undefined> {
  try {
    const reason = await within(clock, CHECK_MS_MAX, 'the check', async () => check());
    return reason === undefined ? undefined : oneLine(reason);
  } catch (error) {
    return oneLine(error instanceof Error ? error.message : String(error));
  }
}

/** A name stands in a path and in a line. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return;
  throw new ApiError('BadRequest', { reason: `"${name}" cannot name a check: use letters, digits, "-", "_" and "."` });
}

function lineOf({ name, reason, excluded }: Finding): string {
  if (excluded) return `[+]${name} excluded: ok`;
  return reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`;
}

function oneLine(text: string): string {
  return text.slice(0, reasonCharactersMax).replace(/\p{Cc}+/gu, ' ');
}
