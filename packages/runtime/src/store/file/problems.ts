/** The current problems with files. Each new one is logged once; it is removed when the file is corrected. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { StoreProblem } from '../contract.ts';

export type Finding = Omit<StoreProblem, 'sinceMs'>;

/** The source of a problem; each source replaces only its own earlier report. */
type Reporter = 'directory' | 'scan' | 'failed scan' | 'publication';

/** Maximum problems kept and logged per reporter, for example for a directory full of unrelated files. */
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

  /** Replaces the problems of a reporter. */
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
