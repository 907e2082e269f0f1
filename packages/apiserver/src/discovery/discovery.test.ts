import { defineFieldsKind, schema } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { Widget } from '../response/widget.kit.ts';
import { groupDiscoveryList } from './aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, versionInfo } from './discovery.ts';
import { readVerbs, servedKind } from './served.ts';

const Config = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'Config',
  plural: 'configs',
  scope: 'Cluster',
  fields: schema.object({ data: schema.optional(schema.map(schema.string())) }),
});
const NewWidget = { ...Widget, version: 'v2', apiVersion: 'example.io/v2' };
const served = [servedKind(Config, { verbs: readVerbs }), servedKind(Widget), servedKind(NewWidget)];
const writable = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

describe('discovery', () => {
  it('has a version that clients can parse', () => {
    const { major, minor, gitVersion } = versionInfo('1.2.3');
    expect([major, minor]).toEqual(['1', '34']);
    expect(gitVersion).toMatch(/^v1\.34\.0\+ecsm-1\.2\.3$/);
  });

  it('lists the versions of the core group', () => {
    expect(apiVersions()).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });

  it('lists the other groups, with the first version preferred', () => {
    const versions = [
      { groupVersion: 'example.io/v1', version: 'v1' },
      { groupVersion: 'example.io/v2', version: 'v2' },
    ];
    const group = { name: 'example.io', versions, preferredVersion: versions[0] };
    expect(apiGroupList(served)).toEqual({ kind: 'APIGroupList', apiVersion: 'v1', groups: [group] });
    expect(apiGroup(served, 'example.io')).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group });
    expect(apiGroup(served, 'other.io')).toBeUndefined();
    expect(apiGroup(served, '')).toBeUndefined();
  });

  it('lists the resources of a group and version with their subresources', () => {
    expect(apiResourceList(served, 'example.io', 'v1')).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'example.io/v1',
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: writable,
          shortNames: ['wd'],
          categories: ['all'],
        },
        { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: subresourceVerbs },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: subresourceVerbs,
        },
      ],
    });
  });

  it('lists a read-only resource without subresources', () => {
    expect(apiResourceList(served, '', 'v1')?.resources).toEqual([
      { name: 'configs', singularName: 'config', namespaced: false, kind: 'Config', verbs: ['get', 'list', 'watch'] },
    ]);
  });

  it('has an empty core group if there are no core kinds', () => {
    expect(apiResourceList([], '', 'v1')?.resources).toEqual([]);
    expect(apiResourceList(served, 'example.io', 'v3')).toBeUndefined();
  });
});

describe('groupDiscoveryList', () => {
  it('has the core group for /api', () => {
    expect(groupDiscoveryList(served, 'api')).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: [
        {
          metadata: { creationTimestamp: null },
          versions: [
            {
              version: 'v1',
              freshness: 'Current',
              resources: [
                {
                  resource: 'configs',
                  responseKind: { group: '', version: 'v1', kind: 'Config' },
                  scope: 'Cluster',
                  singularResource: 'config',
                  verbs: ['get', 'list', 'watch'],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('has every other group for /apis, with versions in order and subresources', () => {
    const { items } = groupDiscoveryList(served, 'apis');
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['example.io']);
    expect(items[0]?.versions.map(({ version }) => version)).toEqual(['v1', 'v2']);
    expect(items[0]?.versions[0]?.resources[0]).toMatchObject({
      resource: 'widgets',
      scope: 'Namespaced',
      shortNames: ['wd'],
      categories: ['all'],
      subresources: [
        { subresource: 'status', responseKind: { group: 'example.io', version: 'v1', kind: 'Widget' } },
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
      ],
    });
  });
});
