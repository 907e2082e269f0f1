/** The command line of the simulator: what can be said, what it means, and what is wrong with what was said. */
import { parseArgs } from 'node:util';
import { isProfileName, profileNames, readSwitch } from '../control/behaviour.ts';
import { didYouMean } from '../control/did-you-mean.ts';
import { type Behaviour, profiles } from '../platform/behaviour.ts';
import type { CallCommand } from './call.ts';
import { flags } from './flags.ts';

export interface ProgramOptions {
  readonly host: string;
  readonly port: number;
  readonly allowRemote: boolean;
  readonly nodes: number;
  readonly services: number;
  readonly seed: number;
  readonly latencyMs: number;
  readonly lossPercent: number;
  /** The switches of a profile that was named, and those that were set. */
  readonly behaviour: Partial<Behaviour>;
  /** Absent: nothing is kept. */
  readonly stateFile?: string;
  readonly logFormat: 'readable' | 'json';
  readonly quiet: boolean;
}

export type CommandLine =
  | { readonly kind: 'run'; readonly options: ProgramOptions }
  | { readonly kind: 'call'; readonly command: CallCommand }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** What was said makes no sense; a sentence says why. */
  | { readonly kind: 'wrong'; readonly complaint: string };

export const countsMax = { nodes: 10_000, services: 100_000 } as const;

/** Node's own messages speak to programmers; ours say what to do. */
class Wrong extends Error {}

export function parseCommandLine(argv: readonly string[]): CommandLine {
  try {
    if (argv[0] === 'call') return { kind: 'call', command: callOf(argv.slice(1)) };
    const values = read(argv);
    if (values['help'] === true) return { kind: 'help' };
    if (values['version'] === true) return { kind: 'version' };
    return { kind: 'run', options: optionsOf(values) };
  } catch (error) {
    return { kind: 'wrong', complaint: error instanceof Error ? error.message : String(error) };
  }
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** `call [METHOD] PATH [JSON] [--to URL]`. */
function callOf(argv: readonly string[]): CallCommand {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { to: { type: 'string' } },
    allowPositionals: true,
  });
  const words = [...positionals];
  const method = methods.includes(words[0]?.toUpperCase() ?? '') ? (words.shift() ?? '').toUpperCase() : 'GET';
  const [path, body, ...more] = words;
  if (path === undefined || !path.startsWith('/')) {
    throw new Wrong(`call needs a path that begins with /, as in: ecsm-sim call POST /sim/nodes/node-1/cut`);
  }
  if (more.length > 0) throw new Wrong(`"${more[0]}" is one word too many: put JSON into quotes`);
  const url = values.to ?? 'http://127.0.0.1:3001';
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    throw new Wrong(`--to has to be the address of a simulator, as in http://127.0.0.1:3001, not "${url}"`);
  }
  if (body !== undefined) checkJson(body);
  return { method, path, url, ...(body === undefined ? {} : { body }) };
}

function checkJson(body: string): void {
  try {
    JSON.parse(body);
  } catch {
    throw new Wrong(`the body has to be JSON, as in '{"factor":5}', not ${body}`);
  }
}

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

function read(argv: readonly string[]): Values {
  const names = flags.map(({ name }) => name);
  // Asked for the parts only, `parseArgs` complains about nothing, and the complaints can be ours.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(flags.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' }])),
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional')
      throw new Wrong(`"${token.value}" is not expected here: all options begin with --`);
    const flag = flags.find(({ name }) => name === token.name);
    const hint = didYouMean(
      token.rawName,
      names.map((name) => `--${name}`),
    );
    if (!flag) throw new Wrong(`there is no option ${token.rawName}.${hint}`);
    if (flag.value === undefined && token.value !== undefined) throw new Wrong(`--${flag.name} takes no value`);
    if (
      flag.value !== undefined &&
      (token.value === undefined || (!token.inlineValue && names.includes(bare(token.value))))
    ) {
      throw new Wrong(`--${flag.name} needs a value: --${flag.name} ${flag.value}`);
    }
    const before = values[flag.name];
    if (flag.repeats) values[flag.name] = [...(Array.isArray(before) ? before : []), token.value ?? ''];
    else if (before !== undefined) throw new Wrong(`--${flag.name} is given twice`);
    else values[flag.name] = token.value ?? true;
  }
  return values;
}

/** `--seed` is the name of an option, not the value of the one before it. */
function bare(value: string): string {
  return value.startsWith('--') ? value.slice(2) : '';
}

function optionsOf(values: Values): ProgramOptions {
  const stateFile = text(values, 'state');
  if (stateFile === '') throw new Wrong('--state needs the name of a file');
  return {
    ...addressOf(text(values, 'listen') ?? '127.0.0.1:3001'),
    allowRemote: values['allow-remote'] === true,
    nodes: wholeNumber(values, 'nodes', 3, countsMax.nodes),
    services: wholeNumber(values, 'services', 0, countsMax.services),
    seed: wholeNumber(values, 'seed', 1, Number.MAX_SAFE_INTEGER),
    latencyMs: wholeNumber(values, 'latency', 0, 3_600_000),
    lossPercent: percent(values, 'loss'),
    behaviour: behaviourOf(values),
    ...(stateFile === undefined ? {} : { stateFile }),
    logFormat: logFormatOf(text(values, 'log-format') ?? 'readable'),
    quiet: values['quiet'] === true,
  };
}

function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

function wholeNumber(values: Values, name: string, fallback: number, max: number): number {
  const given = text(values, name);
  if (given === undefined) return fallback;
  const value = Number(given);
  if (/^\d+$/.test(given) && value <= max) return value;
  throw new Wrong(`--${name} has to be a whole number from 0 to ${max}, not "${given}"`);
}

function percent(values: Values, name: string): number {
  const given = text(values, name);
  if (given === undefined) return 0;
  const value = Number(given);
  if (/^\d+(\.\d+)?$/.test(given) && value <= 100) return value;
  throw new Wrong(`--${name} has to be a percentage from 0 to 100, not "${given}"`);
}

function addressOf(given: string): Pick<ProgramOptions, 'host' | 'port'> {
  const found = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^:\s]+)):(?<port>\d{1,5})$/.exec(given)?.groups;
  const port = Number(found?.['port']);
  if (found === undefined || port > 65_535) {
    throw new Wrong(`--listen has to be host:port, as in 127.0.0.1:3001 or [::1]:3001, not "${given}"`);
  }
  return { host: found['six'] ?? found['host'] ?? '', port };
}

function behaviourOf(values: Values): Partial<Behaviour> {
  const profile = text(values, 'profile');
  if (profile !== undefined && !isProfileName(profile)) {
    throw new Wrong(`there is no profile "${profile}".${didYouMean(profile, profileNames)}`);
  }
  const switches = values['set'];
  const changes = (Array.isArray(switches) ? switches : []).map((each: string) => readSwitch(each));
  return Object.assign({}, profile === undefined ? {} : profiles[profile], ...changes);
}

function logFormatOf(given: string): 'readable' | 'json' {
  if (given === 'readable' || given === 'json') return given;
  throw new Wrong(`--log-format has to be readable or json, not "${given}"`);
}
