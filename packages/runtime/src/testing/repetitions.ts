/** How often a random test repeats: in `make test`, in CI (`CI=true`), and in `make test THOROUGH=1`. */
export interface Repetitions<T> {
  readonly test: T;
  /** Default: as `test`. */
  readonly ci?: T;
  readonly thorough: T;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function repetitions<T>({ test, ci = test, thorough }: Repetitions<T>, env: Environment = process.env): T {
  if (env['THOROUGH']) return thorough;
  return env['CI'] ? ci : test;
}
