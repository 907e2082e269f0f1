/**
 * The command lines: the help of every command, with flags, defaults, variables, keys of config files and exit codes; the
 * messages that name what a flag accepts; and the manifests that etcd-operator prints.
 */
import { runProgram } from '@ecsm/command-line';
import { systemClock } from '@ecsm/runtime';
import { sections } from './text.mjs';

/** The module of each program in bin, and the name of its export. */
const modules = {
  'ecsm-apiserver': ['ecsm-operator/dist/program/apiserver-program.js', 'apiserver'],
  'ecsm-cli': ['cli/dist/ecsm-cli/program.js', 'ecsmCli'],
  'ecsm-operator': ['ecsm-operator/dist/program/program.js', 'program'],
  'ecsm-sim': ['ecsm-simulator/dist/program/program.js', 'program'],
  ecsmctl: ['cli/dist/ecsmctl/program.js', 'ecsmctl'],
  'etcd-agent': ['etcd-operator/dist/program/agent-program.js', 'agentProgram'],
  'etcd-operator': ['etcd-operator/dist/program/program.js', 'program'],
};

export async function programs() {
  const files = {};
  const values = [];
  const loaded = {};
  for (const [name, [module, exported]] of Object.entries(modules)) {
    const program = (await import(`../../packages/${module}`))[exported];
    loaded[name] = program;
    files[`help-${name}.txt`] = sections(await helpOf(program));
    values.push(await valuesOf(program));
  }
  const etcd = async (...argv) => (await run(loaded['etcd-operator'], argv)).out;
  return {
    ...files,
    'flag-values.txt': values.join(''),
    'etcd-definitions.yaml': await etcd('crd'),
    'etcd-manifests.yaml': withoutDefinitions(await etcd('manifests', '--image', 'registry.example/etcd-operator:1.0')),
  };
}

/** Every command with its path of names; the program itself has an empty path. Hidden commands can be called too. */
function commandsOf({ commands }, path = []) {
  return (commands ?? []).flatMap((command) => {
    const own = [...path, command.name];
    return [{ command, path: own }, ...commandsOf(command, own)];
  });
}

/** Flags that every command of a program takes are written once. */
async function helpOf(program) {
  const help = {};
  const common = /\nFlags of every command:\n(?: .*\n)+/;
  let written;
  for (const path of [[], ...commandsOf(program).map((one) => one.path)]) {
    const { out, code } = await run(program, [...path, '--help']);
    if (code !== 0) throw new Error(`${program.name} ${path.join(' ')} has no help`);
    const [flags] = common.exec(out) ?? [];
    help[[program.name, ...path, '--help'].join(' ')] =
      flags !== undefined && flags === written ? out.replace(common, '') : out;
    written = flags ?? written;
  }
  return help;
}

/** Placeholders of flags whose help does not name all limits, and a value that none of them accepts. */
const limited = new Set(['BYTES', 'COUNT', 'FORMAT', 'MIB', 'MS', 'N', 'OFFSET', 'PERCENT', 'PORT', 'TIME']);
const unacceptable = 'x';

/** What else has to be on the line, or the message is about something else. */
const companions = {
  'ecsm-cli --port': ['get', 'nodes'],
  'ecsm-cli --timeout': ['get', 'nodes'],
  'ecsm-cli --zone': ['get', 'nodes'],
  'ecsm-cli get --interval': ['-w'],
  'ecsm-operator --timeout-seconds': ['--once'],
  'ecsmctl annotate --output': ['services', 'x', 'a=b'],
  'ecsmctl apply --timeout': ['-f', '-', '--wait'],
  'ecsmctl autoscale --cpu-percent': ['--max', '2'],
  'ecsmctl autoscale --min': ['--max', '2'],
  'ecsmctl autoscale --output': ['services', 'x', '--max', '2'],
  'ecsmctl edit --output': ['services', 'x'],
  'ecsmctl kubeconfig --expires': ['--user', 'x'],
  'ecsmctl label --output': ['services', 'x', 'a=b'],
  'ecsmctl patch --output': ['services', 'x', '--patch', '{}'],
  'ecsmctl registry migrate --timeout': ['--to', 'file:x'],
  'ecsmctl restore --timeout': ['--registry', 'file:x'],
  'ecsmctl scale --output': ['services', 'x', '--replicas', '2'],
  'ecsmctl set env --output': ['service/x', 'A=b'],
  'ecsmctl set image --output': ['service/x', 'x@1.0.0'],
  'ecsmctl set resources --output': ['service/x', '--limits', 'memory=1Gi'],
  'ecsmctl token create --expires': ['--user', 'x'],
  'ecsmctl wait --timeout': ['--for', 'delete'],
  'etcd-operator --timeout-seconds': ['--once'],
};

/** The message of the program for a value that it does not accept, which says what it accepts. */
async function valuesOf(program) {
  const { defaultCommand, flags } = program;
  const calls = [
    { command: { flags: [...flags, ...(defaultCommand?.flags ?? [])] }, path: [] },
    ...commandsOf(program).filter(({ command }) => command.load && command !== defaultCommand),
  ];
  const lines = [];
  for (const { command, path } of calls) {
    for (const { name, value } of command.flags ?? []) {
      if (!limited.has(value)) continue;
      const flag = [program.name, ...path, `--${name}`].join(' ');
      const argv = [...path, ...wordsOf(command), `--${name}`, unacceptable, ...(companions[flag] ?? [])];
      const { err, code } = await run(program, argv);
      lines.push(`${flag}: ${err.split('\n')[0]} [${code}]\n`);
    }
  }
  return lines.join('');
}

const samples = { KIND: 'services', METHOD: 'GET', PATH: '/x' };

/** The arguments that a command needs. */
function wordsOf({ words = '', wordsMin }) {
  const needed = words.split(/\s+/).filter((word) => word !== '' && !word.startsWith('['));
  const given = needed.map((word) => samples[word] ?? unacceptable);
  return given.slice(0, wordsMin);
}

/** Runs a command in this process, with no files and an empty registry. */
async function run(program, argv) {
  const output = () => {
    const stream = {
      text: '',
      isTerminal: false,
      isColoured: false,
      canRepaint: false,
      isClosed: false,
      write: (text) => {
        stream.text += text;
      },
      drained: async () => {},
    };
    return stream;
  };
  const [out, err] = [output(), output()];
  const code = await runProgram(program, argv, {
    out,
    err,
    env: { ECSM_REGISTRY: 'memory:', ECSM_HOME: '/nowhere', ECSM_URL: 'http://127.0.0.1:1', NO_COLOR: '1' },
    clock: systemClock,
    signal: new AbortController().signal,
    detail: () => {},
    isVerbose: false,
    readInput: async () => new Uint8Array(),
    files: { home: '/nowhere', here: '/nowhere', read: async () => undefined, list: async () => undefined },
    machine: { hostname: 'here', isRunning: () => false },
    ask: async () => undefined,
    ended: async () => {},
  });
  return { out: out.text, err: err.text, code };
}

function withoutDefinitions(manifests) {
  return manifests
    .split(/^---\n/m)
    .filter((text) => !text.includes('kind: CustomResourceDefinition'))
    .join('---\n');
}
