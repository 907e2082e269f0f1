/** ecsmctl on a registry behind an API server, as processes: what works on a local registry works there. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deliveredPrograms } from './programs.kit.ts';

const { directory, shell } = deliveredPrograms();

const manifest = `apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: telemetry }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 2, nodePool: [node-1] }
  template: { image: telemetry@1.0.0#sylixos }
`;

/** Runs lines with ecsmctl while a server runs. */
const served = (lines: string) => `
: >server.log
ecsm-apiserver --registry sqlite:./registry --serve 127.0.0.1:0 2>>server.log & server=$!
for _ in $(seq 400); do grep -q 'serving the Kubernetes API' server.log && break; sleep 0.1; done
export KUBECONFIG="$ECSM_HOME/pki/admin.kubeconfig" ECSM_REGISTRY=kubernetes:
url=$(sed -n 's/.*url=\\(https:[^ ]*\\).*/\\1/p' server.log)
${lines}
kill $server; wait $server`;

it('reads and writes with the credentials of a kubeconfig', async () => {
  writeFileSync(join(directory, 'telemetry.yaml'), manifest);
  const { out, err, code } = await shell(
    served(`
ecsmctl apply -f telemetry.yaml
ecsmctl scale service telemetry --replicas 3
ecsmctl get services -o custom-columns=NAME:.metadata.name,REPLICAS:.spec.deploymentStrategy.replicas
ecsmctl rollout status service telemetry --timeout 1s
ecsmctl wait service telemetry --for condition=Available --timeout 1s
ecsmctl apply -f telemetry.yaml
ecsmctl apply -f telemetry.yaml --force-conflicts
ecsmctl backup fleet.backup
ecsmctl kubeconfig --user jane --server "$url" --out jane.kubeconfig >/dev/null
KUBECONFIG=jane.kubeconfig ecsmctl get services
ecsmctl delete service telemetry
ecsmctl get services`),
  );
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      'ecsmservice/telemetry created',
      'ecsmservice/telemetry scaled',
      'NAME        REPLICAS',
      'telemetry   3',
      'ecsmservice/telemetry configured',
      'ecsmservice/telemetry deleted',
      '',
    ].join('\n'),
  });
  expect(err).toContain('fields of other managers: .spec.deploymentStrategy.replicas (ecsmctl-scale)');
  expect(err).toContain('is served by an API server: run this command where the server has its store');
  expect(err.match(/timed out waiting for ("telemetry"|condition Available)/g)).toHaveLength(2);
  expect(err).toContain('User "jane" cannot list resource "ecsmservices"');
  expect(err).toContain('No resources found in default namespace.');
});

it('selects an API server by context and kubeconfig', async () => {
  const { out, err, code } = await shell(
    served(`
unset ECSM_REGISTRY
ecsmctl get services --context ecsm -o name
ecsmctl get services --kubeconfig "$KUBECONFIG" -o name
ecsmctl config get-contexts
ecsmctl config current-context
ecsmctl config use-context ecsm
ecsmctl config use-context other
ecsmctl get services --context ecsm --registry sqlite:./registry`),
  );
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      'CURRENT   NAME   CLUSTER   USER    NAMESPACE',
      '*         ecsm   ecsm      admin',
      'ecsm',
      'Switched to context "ecsm".',
      '',
    ].join('\n'),
  });
  expect(err).toContain('there is no context "other"');
  expect(err).toContain('--context cannot be used with --registry sqlite:./registry');
});
