/** `ecsm-apiserver run`: the server with its controllers, until a signal. It knows no platform, so it serves no pods. */
import { serverKinds, startServing } from '@ecsm/apiserver';
import { type Call, type Run, readSettings, secondsOf } from '@ecsm/command-line';
import {
  type Log,
  type LogLevel,
  Manager,
  openRegistry,
  type Runnable,
  readManifests,
  untilSignal,
  withoutPassword,
} from '@ecsm/runtime';
import { operatorKinds } from '../apis/kinds.ts';
import { serverLeaseName } from '../apis/well-known.ts';
import { apiserverFlags } from './apiserver-program.ts';
import { logOf } from './commands.ts';
import { refuseIncomplete } from './components.ts';
import { type IdleMemoryOptions, releaseIdleMemory } from './idle-memory.ts';
import {
  leaseSecondsMax,
  leaseSecondsMin,
  type ProgramOptions,
  registryOf,
  type ServeOptions,
  serveOf,
} from './options.ts';
import { electionOf, identityOf } from './run.ts';

interface ApiserverOptions
  extends Pick<ProgramOptions, 'registry' | 'leaderElect' | 'leaseMs' | 'logLevel' | 'logFormat'> {
  readonly serve: ServeOptions;
}

export const run: Run = async (call) => {
  const options = await apiserverOptions(call);
  const log = logOf(options, call.terminal);
  await untilSignal((signal) => serve(options, log, signal), { log });
};

/** Throws `UsageError`, naming the flag, the variable or the place in the config file. */
export async function apiserverOptions(call: Call): Promise<ApiserverOptions> {
  const config = { fileFlag: 'config', fileNames: [], readDocuments: readManifests };
  const settings = await readSettings(call, apiserverFlags, config);
  const text = (name: string) => settings.get(name) ?? '';
  const originOf = (name: string) => settings.origin(name) ?? `--${name}`;
  const { env } = call.terminal;
  const serving = serveOf(settings, originOf, env);
  // The table of flags has a default.
  if (serving === undefined) throw new Error('--serve is not set');
  return {
    registry: registryOf(settings.get('registry'), originOf('registry'), env),
    serve: serving,
    leaderElect: settings.get('leader-elect') !== undefined,
    leaseMs: secondsOf(text('lease-seconds'), originOf('lease-seconds'), leaseSecondsMin, leaseSecondsMax),
    // The table of flags has no other choices.
    logLevel: text('log-level') as LogLevel,
    logFormat: text('log-format') as ProgramOptions['logFormat'],
  };
}

async function serve(options: ApiserverOptions, log: Log, signal: AbortSignal): Promise<void> {
  log.write('info', 'API server starting', { registry: withoutPassword(options.registry) });
  const kinds = new Set([...operatorKinds, ...serverKinds]);
  const registry = await openRegistry(options.registry, { kinds, log, manager: 'ecsm-apiserver' });
  try {
    const { storage } = registry.capabilities;
    if (storage) await refuseIncomplete(storage);
    const { leaderElect, leaseMs } = options;
    const manager = new Manager({
      registry,
      log,
      ...(leaderElect ? { election: electionOf(registry, serverLeaseName, identityOf(registry), leaseMs, log) } : {}),
    });
    const serving = await startServing({ registry, ...options.serve, log });
    for (const runnable of serving.runnables) manager.add(runnable);
    const { gc: collect } = globalThis;
    if (collect) manager.add(idleMemory({ clock: registry.clock, collect: () => collect() }));
    log.write('info', 'serving the Kubernetes API', { url: serving.url, kubeconfig: serving.adminKubeconfig });
    try {
      await manager.run({ signal });
    } finally {
      // A manager that is stopped before it has started runs nothing.
      await serving.close();
    }
  } finally {
    await registry.close();
  }
  log.write('info', 'API server stopped');
}

function idleMemory(options: IdleMemoryOptions): Runnable {
  return { name: 'idle-memory', needsLeader: false, run: ({ signal }) => releaseIdleMemory(options, signal) };
}
