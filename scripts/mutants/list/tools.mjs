/** The command-line tools: where a registry is, and what is shown as good. */
export const ecsmctl = {
  folder: 'packages/cli/src/ecsmctl/shared',
  tests: ['location.test.ts'],
  mutants: [
    {
      name: 'delete --dry-run --cascade=orphan releases the dependents',
      file: '../write/delete.ts',
      find: 'if (keepsDependents && !dryRun) {',
      replace: 'if (keepsDependents) {',
      tests: ['../write/delete.test.ts'],
    },
    {
      name: 'a local registry is ignored if KUBECONFIG is set',
      file: 'location.ts',
      find: "if (isThere || !isDefault || !terminal.env['KUBECONFIG']) return local;",
      replace: "if (!isDefault || !terminal.env['KUBECONFIG']) return local;",
    },
    {
      name: 'KUBECONFIG wins over a registry that is named and does not exist yet',
      file: 'location.ts',
      find: "if (isThere || !isDefault || !terminal.env['KUBECONFIG']) return local;",
      replace: "if (isThere || !terminal.env['KUBECONFIG']) return local;",
    },
    {
      name: '~/.kube/config is used unasked',
      file: 'location.ts',
      find: "if (isThere || !isDefault || !terminal.env['KUBECONFIG']) return local;",
      replace: 'if (isThere || !isDefault) return local;',
    },
    {
      name: 'a write does not name the context of KUBECONFIG',
      file: 'session.ts',
      find: 'if (context !== undefined && writes)',
      replace: 'if (context !== undefined && !writes)',
    },
    {
      name: 'every registry counts as used by an operator',
      file: 'operator-presence.ts',
      find: '.items.length > 0;',
      replace: '.items.length >= 0;',
      tests: ['operator-presence.test.ts'],
    },
  ],
};

export const ecsmCli = {
  folder: 'packages/cli/src/ecsm-cli',
  tests: ['colours.test.ts'],
  mutants: [
    {
      name: 'a service without instances is shown as good',
      file: 'cells.ts',
      find: "online >= wanted ? 'good' : online === 0 && isGood ? 'bad' : 'warn'",
      replace: "online >= wanted || isGood ? 'good' : 'warn'",
    },
    {
      name: 'a container in a crash loop is shown as good',
      file: 'cells.ts',
      find: 'restarts === undefined || restarts < restartsMin',
      replace: 'restarts === undefined || restarts <= restartsMin',
    },
    {
      name: 'a full node is ok',
      file: 'node-check.ts',
      find: 'used > usedPartMax ?',
      replace: 'used > 1 ?',
    },
  ],
};
