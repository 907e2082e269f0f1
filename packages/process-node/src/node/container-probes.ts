/** The probes of a running container: the startup probe first, then the liveness and readiness probes. */
import type { Container } from '@ecsm/kubernetes';
import type { Clock } from '@ecsm/runtime';
import { isPlainObject } from '@ecsm/runtime';
import { attemptProbe, type ProbeTarget } from './probe.ts';
import { type ProbeSettings, runProbe } from './probe-loop.ts';
import { StartFailure } from './start-failure.ts';

type Probe = NonNullable<Container['livenessProbe']>;

interface ContainerProbesOptions {
  readonly container: Container;
  readonly address: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  started(): void;
  ready(isReady: boolean): void;
  /** The container has to be restarted. */
  failed(reason: string): void;
}

/** Runs until the signal aborts. Throws `StartFailure` for probes that this node cannot run. */
export function startProbes(options: ContainerProbesOptions): void {
  const { container, signal, started, ready, failed } = options;
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const targets = {
    startup: startupProbe && targetOf(startupProbe, options),
    liveness: livenessProbe && targetOf(livenessProbe, options),
    readiness: readinessProbe && targetOf(readinessProbe, options),
  };
  const run = (probe: Probe, target: ProbeTarget, inner: AbortSignal, changed: (failure?: string) => void) =>
    void runProbe({
      settings: settingsOf(probe),
      clock: options.clock,
      signal: inner,
      attempt: (timeoutMs) => attemptProbe(target, timeoutMs),
      changed: (result) => changed(result.is === 'failure' ? result.reason : undefined),
    });
  const whenStarted = () => {
    started();
    if (livenessProbe && targets.liveness) {
      run(livenessProbe, targets.liveness, signal, (failure) => {
        if (failure !== undefined) failed(`Liveness probe failed: ${failure}`);
      });
    }
    if (readinessProbe && targets.readiness) {
      run(readinessProbe, targets.readiness, signal, (failure) => ready(failure === undefined));
    } else ready(true);
  };
  if (!startupProbe || !targets.startup) {
    whenStarted();
    return;
  }
  const startup = new AbortController();
  run(startupProbe, targets.startup, AbortSignal.any([signal, startup.signal]), (failure) => {
    startup.abort();
    if (failure === undefined) whenStarted();
    else failed(`Startup probe failed: ${failure}`);
  });
}

function targetOf(probe: Probe, { container, address }: ContainerProbesOptions): ProbeTarget {
  const { httpGet, tcpSocket } = probe;
  const portOf = (port: string | number) => {
    const number = typeof port === 'number' ? port : container.ports?.find(({ name }) => name === port)?.containerPort;
    if (number !== undefined) return number;
    throw new StartFailure('CreateContainerConfigError', `a probe refers to the unknown port "${port}"`);
  };
  if (httpGet) {
    const { host = address, path = '/', scheme, httpHeaders } = httpGet;
    const port = portOf(httpGet.port);
    return { is: 'http', host, port, path, isTls: scheme === 'HTTPS', headers: headersOf(httpHeaders) };
  }
  if (tcpSocket) return { is: 'tcp', host: tcpSocket.host ?? address, port: portOf(tcpSocket.port) };
  throw new StartFailure('CreateContainerConfigError', 'this node supports httpGet and tcpSocket probes only');
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  const headers = Array.isArray(value) ? value.filter(isPlainObject) : [];
  return Object.fromEntries(headers.map(({ name, value: text }) => [String(name), String(text)]));
}

function settingsOf(probe: Probe): ProbeSettings {
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1_000,
    periodMs: probe.periodSeconds * 1_000,
    timeoutMs: probe.timeoutSeconds * 1_000,
    successThreshold: probe.successThreshold,
    failureThreshold: probe.failureThreshold,
  };
}
