/** What can be checked without an API server; `test/kubernetes` checks the rest on a real one. */
import { CustomResourceDefinition, manifestYaml } from '@ecsm/kubernetes';
import { describe, expect, it } from 'vitest';
import { etcdClusterDefinition, etcdClusterValidations } from './cluster-definition.ts';

/** Limits of Kubernetes. */
const messageLengthMax = 2_048;

describe('etcdClusterDefinition', () => {
  it('defines the kind with its columns and subresources', () => {
    const { metadata, spec } = CustomResourceDefinition.parse(etcdClusterDefinition());
    expect(metadata.name).toBe('etcdclusters.etcd.ecsm.sh');
    expect(spec.names).toMatchObject({ kind: 'EtcdCluster', shortNames: ['etcd'] });
    const [version] = spec.versions;
    expect(version).toMatchObject({
      name: 'v1alpha1',
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.size',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
    });
    const columns = version?.['additionalPrinterColumns'];
    const names = Array.isArray(columns) ? columns.filter(({ priority }) => !priority).map(({ name }) => name) : [];
    expect(names).toEqual(['PHASE', 'SIZE', 'READY', 'VERSION', 'AGE']);
  });

  it('has messages that Kubernetes accepts, and rules on one line', () => {
    for (const { rule, message } of etcdClusterValidations) {
      expect(message.length).toBeLessThanOrEqual(messageLengthMax);
      expect(`${rule}${message}`).not.toContain('\n');
    }
  });

  it('has no references in its YAML', async () => {
    const text = await manifestYaml([etcdClusterDefinition()]);
    expect(text).toMatch(/^apiVersion: apiextensions\.k8s\.io\/v1\nkind: CustomResourceDefinition\n/);
    expect(text).not.toMatch(/\$ref|^\s*(?:\w+: )?[&*]a\d/m);
  });
});
