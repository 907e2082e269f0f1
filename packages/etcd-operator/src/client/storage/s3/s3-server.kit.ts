/**
 * A real S3 server as a process on a loopback address of its own, with random credentials, for tests: rclone, which
 * `make test` fetches, or versitygw, which `make test-kubernetes` builds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Authority, generateAuthority } from '@ecsm/apiserver';
import { systemClock } from '@ecsm/runtime';
import { vi } from 'vitest';
import type { S3Credentials, S3Destination } from '../contract.ts';
import { emptySha256, signed } from './signature.ts';

/** versitygw refuses one of two puts at the same time; rclone lets both succeed. */
export type S3Program = 'rclone' | 'versitygw';

const repository = fileURLToPath(new URL('../../../../../../', import.meta.url));
const outputLengthMax = 4_000;
const dayMs = 86_400_000;
const port = 9_000;

/** Whether to skip tests that need the server, with the reason printed. With CI=true only what has to be built is skipped. */
export function skipWithoutS3(program: S3Program): boolean {
  const { file, remedy } = programs[program]();
  if (isExecutable(file) || (process.env['CI'] === 'true' && program === 'rclone')) return false;
  process.stderr.write(`tests with the S3 server ${program} skipped: there is no ${file}: ${remedy}\n`);
  return true;
}

export class S3Server {
  readonly credentials: S3Credentials = {
    accessKeyId: randomBytes(10).toString('hex'),
    secretAccessKey: randomBytes(20).toString('hex'),
  };
  readonly #program: S3Program;
  readonly #directory = mkdtempSync(join(tmpdir(), 'ecsm-s3-'));
  readonly #address = `127.${[...randomBytes(2)].map((byte) => 1 + (byte % 254)).join('.')}.1`;
  readonly #authority: Authority | undefined;
  #child: ChildProcess | undefined;
  #output = '';
  readonly #endWithUs = () => void this.#child?.kill('SIGKILL');

  /** It serves when this resolves. */
  static async start(program: S3Program, options: { readonly tls?: boolean } = {}): Promise<S3Server> {
    const server = new S3Server(program, options.tls ?? false);
    try {
      await server.resume();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  private constructor(program: S3Program, tls: boolean) {
    this.#program = program;
    this.#authority = tls ? new Authority(generateAuthority(systemClock), systemClock) : undefined;
    process.once('exit', this.#endWithUs);
  }

  /** The certificate authority of its certificate, in PEM. */
  get ca(): string | undefined {
    return this.#authority?.certificatePem;
  }

  /** A new and empty bucket. */
  async bucket(): Promise<S3Destination> {
    const bucket = `bucket-${randomBytes(6).toString('hex')}`;
    const [host, path] = [`${this.#address}:${port}`, `/${bucket}`];
    const unsigned = { method: 'PUT', path, query: {}, headers: { host }, payloadSha256: emptySha256 };
    const headers = signed(unsigned, this.credentials, { region: 'us-east-1', timeMs: Date.now() });
    const options = { host: this.#address, port, method: 'PUT', path, headers, agent: false } as const;
    const request = this.ca === undefined ? httpRequest(options) : httpsRequest({ ...options, ca: this.ca });
    request.end();
    const [response]: IncomingMessage[] = await once(request, 'response');
    response?.resume();
    if (response?.statusCode !== 200) throw new Error(`${this.#program} creates no bucket: ${response?.statusCode}`);
    return { type: 'S3', bucket, endpoint: `${this.#authority ? 'https' : 'http'}://${host}` };
  }

  /** Kills the process. What it has stored remains. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Starts it, also after it was killed. */
  async resume(): Promise<void> {
    const child = spawn(programs[this.#program]().file, this.#flags(), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, RCLONE_CONFIG: '', ...this.#secrets() },
    });
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString()).slice(-outputLengthMax);
    });
    child.on('error', (error) => {
      this.#output += error.message;
    });
    await vi.waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`${this.#program} has ended: ${this.#output}`);
        const socket = connect(port, this.#address);
        try {
          await once(socket, 'connect');
        } finally {
          socket.destroy();
        }
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  async close(): Promise<void> {
    process.off('exit', this.#endWithUs);
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Not flags, which other users of the machine can read. */
  #secrets(): Record<string, string> {
    const { accessKeyId, secretAccessKey } = this.credentials;
    return {
      RCLONE_AUTH_KEY: `"${accessKeyId},${secretAccessKey}"`,
      ROOT_ACCESS_KEY: accessKeyId,
      ROOT_SECRET_KEY: secretAccessKey,
    };
  }

  #flags(): readonly string[] {
    const at = `${this.#address}:${port}`;
    const tls = this.#tlsFlags();
    if (this.#program === 'rclone') return ['serve', 's3', `--addr=${at}`, ...tls, this.#directory];
    return [`--port=${at}`, '--quiet', ...tls, 'posix', this.#directory];
  }

  #tlsFlags(): readonly string[] {
    if (!this.#authority) return [];
    const subject = { commonName: 's3' };
    const pair = this.#authority.issue({ subject, use: 'server', names: [this.#address] }, dayMs);
    // Beside the buckets: a file is none.
    const [cert, key] = [join(this.#directory, 'tls.crt'), join(this.#directory, 'tls.key')];
    writeFileSync(cert, pair.certificatePem);
    writeFileSync(key, pair.keyPem, { mode: 0o600 });
    return [`--cert=${cert}`, `--key=${key}`];
  }
}

const programs = {
  rclone: () => ({ file: join(repository, '.tools', 's3', 'rclone'), remedy: 'scripts/ensure-s3.sh' }),
  versitygw() {
    const module = readFileSync(join(repository, 'scripts', 's3', 'versitygw', 'go.mod'), 'utf8');
    const version = /github\.com\/versity\/versitygw v(\S+)/.exec(module)?.[1] ?? '';
    const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    const tools = process.env['ECSM_TOOLS'] ?? join(cache, 'ecsm-operator', 'tools');
    return { file: join(tools, `versitygw-${version}`, 'versitygw'), remedy: 'scripts/s3/build.sh' };
  },
} as const;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
