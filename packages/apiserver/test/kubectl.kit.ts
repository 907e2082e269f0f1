/** Unmodified kubectl: on the PATH, in KUBECTL_BIN, or in .tools, where `make test` puts it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tools = fileURLToPath(new URL('../../../.tools/usr/bin/kubectl', import.meta.url));

/** Undefined, with the reason on the error output, if there is none. */
export function findKubectl(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'kubectl'));
  const found = [process.env['KUBECTL_BIN'] ?? '', tools, ...onPath].find((path) => path !== '' && existsSync(path));
  if (found === undefined) process.stderr.write('skipped: kubectl is neither on the PATH nor in .tools\n');
  return found;
}

export interface KubectlResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs kubectl with a kubeconfig and no other settings of this machine. */
export function kubectlWith(path: string, kubeconfig: string, home: string) {
  return (line: string, input = ''): Promise<KubectlResult> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig };
      const child = execFile(path, wordsOf(line), { env, timeout: 50_000 }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, out, err });
      });
      child.stdin?.end(input);
    });
}

/** Words are separated by spaces; quotes keep a word together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
