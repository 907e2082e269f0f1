/** The words of the command line, taken apart: which command, which flags with which values. They mean nothing yet. */
import { parseArgs } from 'node:util';
import { type Flag, flags } from './flags.ts';
import { didYouMean, Wrong } from './wrong.ts';

/** Something that was said, and where, so that a complaint can name it. */
export interface Said {
  /** One for each time it was said. A flag without a value is `true`. */
  readonly texts: readonly string[];
  /** `--listen`, `ECSM_URL` or `operator.yaml:3:7: workers`. */
  readonly from: string;
}

/** By the name of the flag. */
export type Sayings = ReadonlyMap<string, Said>;

export interface Words {
  readonly command: 'run' | 'plan';
  /** Services to plan for. */
  readonly names: readonly string[];
  readonly said: Sayings;
}

const commands = ['run', 'plan'] as const;

/** Throws `Wrong`. */
export function readCommandLine(argv: readonly string[]): Words {
  const said = new Map<string, Said>();
  const words: string[] = [];
  // Asked for the parts only, `parseArgs` complains about nothing, and the complaints can be ours.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(flags.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' }])),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    else if (token.kind === 'option') add(said, flagOf(token.rawName, token.name), token);
  }
  return { ...commandOf(words), said };
}

function flagOf(rawName: string, name: string): Flag {
  const flag = rawName.startsWith('--') ? flags.find((one) => one.name === name) : undefined;
  if (flag) return flag;
  const known = flags.map((one) => `--${one.name}`);
  throw new Wrong(`there is no option ${rawName}.${didYouMean(rawName, known)}`);
}

interface Value {
  readonly value: string | undefined;
  /** Whether it stood behind a `=`. */
  readonly inlineValue: boolean | undefined;
}

function add(said: Map<string, Said>, flag: Flag, { value, inlineValue }: Value): void {
  const from = `--${flag.name}`;
  if (flag.value === undefined && value !== undefined) throw new Wrong(`${from} takes no value`);
  const isNextFlag = !inlineValue && flags.some(({ name }) => value === `--${name}`);
  if (flag.value !== undefined && (value === undefined || isNextFlag)) {
    throw new Wrong(`${from} needs a value: ${from} ${flag.value}`);
  }
  const before = said.get(flag.name)?.texts ?? [];
  if (before.length > 0 && !flag.repeats) throw new Wrong(`${from} is given twice`);
  said.set(flag.name, { texts: [...before, value ?? 'true'], from });
}

function commandOf([first = 'run', ...names]: readonly string[]): Pick<Words, 'command' | 'names'> {
  const command = commands.find((one) => one === first);
  if (!command) throw new Wrong(`there is no command "${first}".${didYouMean(first, commands)}`);
  const [unexpected] = names;
  if (command === 'run' && unexpected !== undefined) {
    throw new Wrong(`"${unexpected}" is not expected here: options begin with --`);
  }
  return { command, names };
}
