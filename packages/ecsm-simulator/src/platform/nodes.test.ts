import { describe, expect, it } from 'vitest';
import { addNode, asJson, refusal, setUp, spec, startMs } from './platform.kit.ts';

const address = { ip: '10.0.0.77', port: 1112, password: 'new', tls: true };

describe('a node', () => {
  it('is added online, with defaults', () => {
    const { platform } = setUp();
    const node = platform.addNode({ name: 'n9', ip: '10.0.0.9', port: 1112, password: 'secret' });
    expect(platform.nodeNamed('n9')).toBe(node);
    expect(node).toMatchObject({
      online: true,
      type: 'sylixos',
      arch: 'arm64',
      tls: false,
      createdMs: startMs,
      cores: 4,
    });
    const linux = platform.addNode({ name: 'l9', ip: '10.0.0.10', port: 1112, password: '', type: 'linux' });
    expect(linux).toMatchObject({ type: 'linux', arch: 'x86-64', trueType: 'linux' });
  });

  it('has a unique name and address', () => {
    const { platform, node } = setUp();
    expect(refusal(() => addNode(platform, 'n1', 99))).toBe('nodeNameTaken');
    expect(refusal(() => addNode(platform, 'n9', 1))).toBe('nodeAddressTaken');
    expect(refusal(() => addNode(platform, ' ', 99))).toBe('badRequest');
    const { id } = node('n2');
    expect(refusal(() => platform.updateNode(id, { ...address, name: 'n1' }))).toBe('nodeNameTaken');
    expect(refusal(() => platform.updateNode(id, { ...address, name: 'n2', ip: '10.0.0.1' }))).toBe('nodeAddressTaken');
    expect(refusal(() => platform.updateNode('nobody', { ...address, name: 'n9' }))).toBe('nodeNotFound');
    expect(refusal(() => platform.updateNode(id, { ...address, name: 'n2' }))).toBe('not refused');
    expect(node('n2')).toMatchObject(address);
  });

  it('that is renamed is followed by services, records and templates', () => {
    const { platform, pass, node, service, containers } = setUp();
    const { id } = platform.createService(spec({ factor: 3 }));
    const template = platform.addTemplate({ kind: 'service', name: 'worker', folder: '/', service: spec() });
    platform.addTemplate({ kind: 'folder', name: 'folder', folder: '/', service: null });
    pass(5_000);
    platform.updateNode(node('n2').id, { ...address, name: 'renamed' });
    expect(service('worker').nodeNames).toEqual(['n1', 'renamed', 'n3']);
    expect(platform.recordsOf(id)[0]?.spec.nodeNames).toEqual(['n1', 'renamed', 'n3']);
    expect(platform.record(platform.recordsOf(id)[0]?.id ?? '')?.spec.nodeNames).toContain('renamed');
    expect(platform.template(template.id)?.service?.nodeNames).toEqual(['n1', 'renamed', 'n3']);
    expect([platform.nodeNamed('n2'), node('renamed').name]).toEqual([undefined, 'renamed']);
    expect(containers('worker').every(({ status }) => status === 'running')).toBe(true);
  });

  it('is deleted unless services use it: then none is deleted', () => {
    const { platform, pass, node } = setUp();
    const { id } = platform.createService(spec({ nodeNames: ['n1', 'n2'] }));
    const ids = [node('n1').id, node('n3').id];
    const conflicts = platform.deleteNodes(ids);
    expect(conflicts.map((conflict) => [conflict.node.name, conflict.services.map(({ name }) => name)])).toEqual([
      ['n1', ['worker']],
    ]);
    expect(platform.nodes()).toHaveLength(3);
    expect(refusal(() => platform.deleteNodes(['nobody']))).toBe('nodeNotFound');
    platform.deleteService(id);
    pass(1_000);
    expect(platform.deleteNodes([...ids, ...ids])).toEqual([]);
    expect(platform.nodes().map(({ name }) => name)).toEqual(['n2']);
    expect(platform.nodeNamed('n1')).toBeUndefined();
  });

  it('is in use by a container that is being removed', () => {
    const { platform, pass, node } = setUp();
    const { id } = platform.createService(spec({ nodeNames: ['n1'] }));
    pass(5_000);
    platform.updateService(id, spec({ nodeNames: ['n2'] }));
    expect(platform.deleteNodes([node('n1').id])).toHaveLength(1);
    pass(200);
    expect(platform.deleteNodes([node('n1').id])).toEqual([]);
  });

  it('shows its actual type when types are refreshed, if it is online', () => {
    const { platform, node } = setUp();
    for (const name of ['n1', 'n2']) platform.setNodeTrueType(node(name).id, 'linux');
    platform.cutNode(node('n2').id);
    expect(node('n1')).toMatchObject({ type: 'sylixos', trueType: 'linux' });
    platform.refreshNodeTypes();
    expect(['n1', 'n2', 'n3'].map((name) => node(name).type)).toEqual(['linux', 'sylixos', 'sylixos']);
  });

  it('can be disconnected and reconnected repeatedly', () => {
    const { platform, pass, node } = setUp();
    platform.cutNode(node('n1').id);
    pass(1_000);
    const before = asJson(platform.snapshot());
    platform.cutNode(node('n1').id);
    expect(asJson(platform.snapshot())).toEqual(before);
    expect(node('n1')).toMatchObject({ online: false, onlineSinceMs: startMs });
    platform.restoreNode(node('n1').id);
    expect(node('n1')).toMatchObject({ online: true, onlineSinceMs: startMs + 1_000 });
    expect(refusal(() => platform.cutNode('nobody'))).toBe('nodeNotFound');
  });

  it('is never filled above its size', () => {
    const { platform, node } = setUp();
    platform.fillNode(node('n1').id, { memoryBytes: 1e15, diskBytes: 1e15 });
    expect(platform.usageOfNode(node('n1'))).toMatchObject({ memoryFreeBytes: 0, diskFreeBytes: 0 });
    expect(refusal(() => platform.fillNode(node('n1').id, { memoryBytes: -1 }))).toBe('badRequest');
  });
});
