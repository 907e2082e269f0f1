/** `etcd-operator` as data: its commands and flags. */
import { type Command, completionCommand, type Program, versionOf } from '@ecsm/command-line';
import { backup } from './backup-program.ts';
import { flags, manifestFlags } from './flags.ts';

const run: Command = {
  name: 'run',
  help: 'reconcile until stopped; the default',
  examples: [
    { help: 'only one namespace, with metrics', line: 'etcd-operator run -n databases --listen 127.0.0.1:8092' },
  ],
  load: async () => ({ run: (await import('./commands.ts')).run }),
};

const crd: Command = {
  name: 'crd',
  help: 'print the CustomResourceDefinitions',
  examples: [{ help: 'install them', line: 'etcd-operator crd | kubectl apply --server-side -f -' }],
  load: async () => ({ run: (await import('./install-commands.ts')).crd }),
};

const manifests: Command = {
  name: 'manifests',
  help: 'print everything that an installation needs: definitions, namespace, permissions, deployment',
  flags: manifestFlags,
  examples: [
    {
      help: 'install the operator',
      line: 'etcd-operator manifests --image registry.example/etcd-operator:1.0 | kubectl apply --server-side -f -',
    },
  ],
  load: async () => ({ run: (await import('./install-commands.ts')).manifests }),
};

export const program: Program = {
  name: 'etcd-operator',
  help: 'reconciles EtcdCluster objects on Kubernetes with etcd clusters',
  examples: [
    { help: 'the current context of the kubeconfig, or the service account of the pod', line: 'etcd-operator' },
    { help: 'another cluster', line: 'etcd-operator --kubeconfig site.kubeconfig --context site-7' },
    { help: 'reconcile once, then exit', line: 'etcd-operator --once' },
    { help: 'install the definitions', line: 'etcd-operator crd | kubectl apply --server-side -f -' },
  ],
  flags,
  commands: [run, crd, manifests, backup, completionCommand('etcd-operator')],
  defaultCommand: run,
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes: [
    { code: 0, help: 'after Ctrl-C, and after --once when every cluster is as its spec says' },
    { code: 1, help: 'it failed, or --once timed out' },
    { code: 2, help: 'a flag, a variable or the config file is invalid' },
  ],
};
