/** A kubeconfig in the home directory of a test, with the contexts that examples name. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const context = (name: string) => `- { name: ${name}, context: { cluster: ${name}, user: jane } }`;
const cluster = (name: string) => `- { name: ${name}, cluster: { server: "https://127.0.0.1:1" } }`;

export function writeKubeconfig(home: string): void {
  mkdirSync(join(home, '.kube'), { recursive: true });
  const sites = ['site-7', 'site-8'];
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    'current-context: site-7',
    'contexts:',
    ...sites.map(context),
    'clusters:',
    ...sites.map(cluster),
    'users:',
    '- { name: jane, user: { token: secret } }',
  ];
  writeFileSync(join(home, '.kube', 'config'), `${lines.join('\n')}\n`, { mode: 0o600 });
}
