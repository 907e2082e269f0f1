/**
 * Credentials from an exec plugin (client.authentication.k8s.io v1 and v1beta1). The plugin runs when a credential is
 * needed and again when the last one has expired or was rejected; requests at the same time share one run.
 */
import { execFile } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import { ApiError, type Clock, redactText, shape, timeMsOf } from '@ecsm/runtime';
import { bearer, type ClientCertificate, type Credential, type Credentials } from './credentials.ts';
import type { ExecFields } from './kubeconfig.ts';

interface ExecPlugin {
  readonly fields: ExecFields;
  /** Of the kubeconfig; a command with a slash is relative to it. */
  readonly directory: string;
  /** `user "x" in /home/me/.kube/config`, for messages. */
  readonly source: string;
  /** Passed to plugins that ask for it. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Sent beside the credential of the plugin. */
  readonly headers: Credential['headers'];
}

const group = 'client.authentication.k8s.io';
const versions: readonly string[] = [`${group}/v1`, `${group}/v1beta1`];
const runMsMax = 60_000;
const outputBytesMax = 1024 * 1024;
const messageCharactersMax = 500;

const { exactly, nullable, object, optional, string } = shape;
const answerShape = object({
  apiVersion: string(),
  kind: exactly('ExecCredential'),
  status: object({
    token: optional(nullable(string())),
    expirationTimestamp: optional(nullable(string())),
    clientCertificateData: optional(nullable(string())),
    clientKeyData: optional(nullable(string())),
  }),
});

interface Cached {
  readonly credential: Credential;
  /** Undefined: until the server rejects it. */
  readonly expiresMs: number | undefined;
}

/** Throws `BadRequest` for a plugin that cannot be used. */
export function execCredentials(plugin: ExecPlugin): Credentials {
  const { fields, source, clock } = plugin;
  const { apiVersion, command } = fields;
  if (!command) throw badPlugin(source, 'it has no command');
  if (!apiVersion || !versions.includes(apiVersion)) {
    throw badPlugin(source, `its apiVersion has to be ${versions.join(' or ')}`);
  }
  if (fields.interactiveMode === 'Always') throw badPlugin(source, 'it needs a terminal (interactiveMode: Always)');
  let cached: Cached | undefined;
  let running: Promise<Cached> | undefined;
  return {
    async current() {
      const isCurrent = cached && (cached.expiresMs === undefined || clock.now() < cached.expiresMs);
      if (cached && isCurrent) return cached.credential;
      running ??= run(plugin, command, apiVersion).finally(() => {
        running = undefined;
      });
      cached = await running;
      return cached.credential;
    },
    discard() {
      // Another request has discarded it, and its run returns another one.
      if (cached === undefined) return running !== undefined;
      cached = undefined;
      return true;
    },
  };
}

async function run(plugin: ExecPlugin, command: string, apiVersion: string): Promise<Cached> {
  const { fields, source, cluster, directory, env } = plugin;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(fields.provideClusterInfo === true ? { cluster } : {}) },
  };
  const own = Object.fromEntries((fields.env ?? []).map(({ name, value }) => [name, value]));
  const program = /[/\\]/.test(command) && !isAbsolute(command) ? join(directory, command) : command;
  const output = await outputOf(plugin, program, {
    ...env,
    ...own,
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  });
  return read(output, apiVersion, source, plugin.headers);
}

function outputOf(plugin: ExecPlugin, program: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { fields, source, clock } = plugin;
  return new Promise((resolve, reject) => {
    let isTimedOut = false;
    const options = { env, maxBuffer: outputBytesMax, windowsHide: true, encoding: 'utf8' } as const;
    const child = execFile(program, fields.args ?? [], options, (error, stdout, stderr) => {
      cancel();
      if (!error) return resolve(stdout);
      const hint = fields.installHint ? `: ${fields.installHint}` : '';
      if (error.code === 'ENOENT') return reject(unavailable(source, `${program} is not installed${hint}`, error));
      // Standard output can hold a token, so it is never shown.
      const said = redactText(stderr.trim()).slice(-messageCharactersMax);
      const how = isTimedOut
        ? `did not end within ${runMsMax} ms`
        : `failed (${error.signal ?? error.code ?? 'unknown'})`;
      reject(unavailable(source, `${program} ${how}${said === '' ? '' : `: ${said}`}`));
    });
    const cancel = clock.after(runMsMax, () => {
      isTimedOut = true;
      child.kill('SIGKILL');
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

function read(output: string, apiVersion: string, source: string, headers: Credential['headers']): Cached {
  const answer = parseAnswer(output);
  const problem = shape.complaint(answerShape, answer, 'the output');
  if (problem !== undefined || !isAnswer(answer)) throw unavailable(source, problem ?? 'the output is not JSON');
  if (answer.apiVersion !== apiVersion) throw unavailable(source, `the output is not of ${apiVersion}`);
  const { token, expirationTimestamp, clientCertificateData: cert, clientKeyData: key } = answer.status;
  if (!token && !cert) throw unavailable(source, 'the output has neither a token nor a client certificate');
  if (!cert !== !key) throw unavailable(source, 'the output has a client certificate without its key, or the reverse');
  const expiresMs = expirationTimestamp ? timeMsOf(expirationTimestamp) : undefined;
  if (expirationTimestamp && expiresMs === undefined)
    throw unavailable(source, 'its expirationTimestamp is not a time');
  const certificate: ClientCertificate | undefined = cert && key ? { cert, key } : undefined;
  return {
    credential: {
      headers: { ...headers, ...(token ? bearer(token, source) : {}) },
      ...(certificate && { certificate }),
    },
    expiresMs,
  };
}

function parseAnswer(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function isAnswer(value: unknown): value is shape.Shaped<typeof answerShape> {
  return answerShape.check(value) === undefined;
}

function badPlugin(source: string, reason: string): ApiError {
  return new ApiError('BadRequest', { reason: `the exec plugin of ${source} cannot be used: ${reason}` });
}

/** The plugin may succeed later, for example after a login. */
function unavailable(source: string, reason: string, cause?: unknown): ApiError {
  return new ApiError('Unavailable', { what: `the exec plugin of ${source}`, reason }, cause);
}
