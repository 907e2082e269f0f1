/** Named checks of a process, reported in the format of Kubernetes. */
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { within } from './within.ts';

/** Returns undefined if the check passes, otherwise the reason. An exception is a failure. */
export type Check = (() => string | undefined | Promise<string | undefined>) & {
  /** A fact that is shown beside a check that passes. */
  readonly detail?: () => string | undefined;
};

export type Checks = Readonly<Record<string, Check>>;

/** A check that hangs has failed. */
export const CHECK_MS_MAX = 5_000;
const reasonCharactersMax = 1_000;

interface CheckResult {
  readonly name: string;
  /** Why it failed; absent if it passed. */
  readonly reason?: string;
  readonly excluded?: boolean;
  readonly detail?: string | undefined;
}

interface Report {
  readonly passed: boolean;
  /** One line per check, as with `?verbose`. */
  readonly text: string;
}

/** Runs all checks concurrently. Excluded ones are listed, but not run. */
export async function runChecks(
  title: string,
  checks: Checks,
  exclude: ReadonlySet<string>,
  clock: Clock,
): Promise<Report> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<CheckResult> => {
      if (exclude.has(name)) return { name, excluded: true };
      const reason = await runCheck(check, clock);
      return reason === undefined ? { name, detail: detailOf(check) } : { name, reason };
    }),
  );
  const passed = results.every(({ reason }) => reason === undefined);
  const unknown = [...exclude].filter((name) => !Object.hasOwn(checks, name));
  const warnings = unknown.map((name) => `warn: no check "${oneLine(name)}" to exclude`);
  const end = `${title} check ${passed ? 'passed' : 'failed'}`;
  return { passed, text: `${[...results.map(lineOf), ...warnings, end].join('\n')}\n` };
}

/** Returns why the check failed; undefined if it passed. */
export async function runCheck(check: Check, clock: Clock): Promise<string | undefined> {
  try {
    const reason = await within(clock, CHECK_MS_MAX, 'the check', async () => check());
    return reason === undefined ? undefined : oneLine(reason);
  } catch (error) {
    return oneLine(error instanceof Error ? error.message : String(error));
  }
}

/** A name is part of a URL path and of a line of text. Throws `BadRequest`. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return;
  throw new ApiError('BadRequest', {
    reason: `"${name}" is not a valid check name: use letters, digits, "-", "_" and "."`,
  });
}

function lineOf({ name, reason, excluded, detail }: CheckResult): string {
  if (excluded) return `[+]${name} excluded: ok`;
  if (reason !== undefined) return `[-]${name} failed: ${reason}`;
  return detail === undefined ? `[+]${name} ok` : `[+]${name} ok: ${detail}`;
}

function detailOf(check: Check): string | undefined {
  const detail = check.detail?.();
  return detail === undefined ? undefined : oneLine(detail);
}

function oneLine(text: string): string {
  return text.slice(0, reasonCharactersMax).replace(/\p{Cc}+/gu, ' ');
}
