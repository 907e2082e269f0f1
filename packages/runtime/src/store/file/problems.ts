/** The files that are not as they should be, now. Each new problem is logged once; it goes when the file is put right. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { StoreProblem } from '../contract.ts';

export type Finding = Omit<StoreProblem, 'sinceMs'>;

/** Who found it; each replaces only what it reported before. */
export type Reporter = 'directory' | 'scan' | 'failed scan' | 'publication';

/** Problems kept and logged for each reporter. A directory full of something else is one problem, not a million. */
export const problemsMax = 1_000;

export class Problems {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #reports = new Map<Reporter, ReadonlyMap<string, StoreProblem>>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  get list(): readonly StoreProblem[] {
    return [...this.#reports.values()].flatMap((report) => [...report.values()]);
  }

  /** What a reporter sees wrong now; it replaces what it saw before. */
  report(reporter: Reporter, findings: readonly Finding[]): void {
    const before = this.#reports.get(reporter);
    const now = new Map<string, StoreProblem>();
    for (const finding of findings.slice(0, problemsMax)) {
      const identity = `${finding.file}\n${finding.reason}`;
      const known = before?.get(identity);
      now.set(identity, known ?? { ...finding, sinceMs: this.#clock.now() });
      if (known === undefined) this.#log.write('warn', 'a file of the registry has a problem', { ...finding });
    }
    if (findings.length > problemsMax && (before?.size ?? 0) < problemsMax) {
      this.#log.write('warn', 'more files of the registry have problems', { count: findings.length });
    }
    this.#reports.set(reporter, now);
  }
}
