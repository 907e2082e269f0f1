import { describe, expect, it } from 'vitest';
import { refusal, setUp, spec } from './platform.kit.ts';
import { templatePath } from './templates.ts';

const folder = (name: string, at: string) => ({ kind: 'folder', name, folder: at, service: null }) as const;
const service = (name: string, at: string) => ({ kind: 'service', name, folder: at, service: spec() }) as const;

function setUpTree() {
  const world = setUp();
  const { platform } = world;
  const sensors = platform.addTemplate(folder('sensors', '/'));
  const camera = platform.addTemplate(service('camera', '/sensors/left'));
  const paths = () => platform.templates().map(templatePath).sort();
  return { ...world, sensors, camera, paths };
}

describe('templates', () => {
  it('are in folders, which are created if missing', () => {
    const { paths, camera } = setUpTree();
    expect(paths()).toEqual(['/sensors', '/sensors/left', '/sensors/left/camera']);
    expect(camera.id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('cannot have the path of another one, or be in a template', () => {
    const { platform, paths } = setUpTree();
    expect(refusal(() => platform.addTemplate(folder('sensors', '')))).toBe('templateNameTaken');
    expect(refusal(() => platform.addTemplate(service('left', '/sensors/')))).toBe('templateNameTaken');
    expect(refusal(() => platform.addTemplate(service('x', '/sensors/left/camera/y')))).toBe('templateNameTaken');
    expect(refusal(() => platform.addTemplate(service('a/b', '/')))).toBe('badRequest');
    expect(refusal(() => platform.addTemplate({ ...folder('f', '/'), service: spec() }))).toBe('badRequest');
    expect(paths()).toHaveLength(3);
  });

  it('can be renamed and changed, together with the content of a folder', () => {
    const { platform, paths, sensors, camera } = setUpTree();
    platform.updateTemplate(sensors.id, { name: 'eyes' });
    expect(paths()).toEqual(['/eyes', '/eyes/left', '/eyes/left/camera']);
    platform.updateTemplate(camera.id, { name: 'camera', service: spec({ factor: 9 }) });
    expect(platform.template(camera.id)?.service?.factor).toBe(9);
    expect(refusal(() => platform.updateTemplate(sensors.id, { service: spec() }))).toBe('badRequest');
    expect(refusal(() => platform.updateTemplate('nothing', {}))).toBe('templateNotFound');
  });

  it('move into a folder, or to a path', () => {
    const { platform, paths } = setUpTree();
    platform.addTemplate(folder('other', '/'));
    platform.moveTemplate('/sensors/left', '/other');
    expect(paths()).toEqual(['/other', '/other/left', '/other/left/camera', '/sensors']);
    platform.moveTemplate('/other/left/camera', '/new/place');
    expect(paths()).toEqual(['/new', '/new/place', '/other', '/other/left', '/sensors']);
    platform.moveTemplate('/new/place', '/');
    expect(paths()).toContain('/place');
    expect(refusal(() => platform.moveTemplate('/other', '/other/left/x'))).toBe('badRequest');
    expect(refusal(() => platform.moveTemplate('/other', '/other'))).toBe('badRequest');
    expect(refusal(() => platform.moveTemplate('/nothing', '/x'))).toBe('templateNotFound');
    expect(refusal(() => platform.moveTemplate('/other', '/place'))).toBe('templateNameTaken');
  });

  it('are deleted with their folder; names with the same prefix are not', () => {
    const { platform, paths, sensors } = setUpTree();
    platform.addTemplate(service('thermal', '/sensors2'));
    platform.deleteTemplate(sensors.id);
    expect(paths()).toEqual(['/sensors2', '/sensors2/thermal']);
  });
});

describe('deploying a template', () => {
  it('creates the service of its name, with the folder as its label', () => {
    const { platform, pass, camera, service, only } = setUpTree();
    const outcome = platform.deployTemplate(camera.id, 'load', false);
    expect(outcome).toEqual({
      templateId: camera.id,
      result: 'created',
      serviceId: service('camera').id,
      taskIds: [only('camera').taskId],
      error: null,
    });
    pass(5_000);
    expect(service('camera').pathLabel).toBe('/sensors/left');
    expect(only('camera').status).toBe('created');
  });

  it('updates it if it differs, and otherwise only with force', () => {
    const { platform, pass, camera, service, only } = setUpTree();
    const { serviceId } = platform.deployTemplate(camera.id, 'run', false);
    pass(5_000);
    expect(platform.deployTemplate(camera.id, 'run', false)).toMatchObject({
      result: 'failed',
      serviceId,
      taskIds: [],
    });
    expect(platform.deployTemplate(camera.id, 'run', false).error).toMatch(/没有变化/);
    expect(only('camera').deployNum).toBe(1);
    expect(platform.deployTemplate(camera.id, 'run', true)).toMatchObject({
      result: 'updated',
      serviceId,
      error: null,
    });
    expect(only('camera').deployNum).toBe(2);
    platform.updateTemplate(camera.id, { service: spec({ factor: 2 }) });
    expect(platform.deployTemplate(camera.id, 'run', false).taskIds).toHaveLength(2);
    expect(service('camera').factor).toBe(2);
  });

  it('updates an existing service with that name', () => {
    const { platform, camera, service } = setUpTree();
    const { id } = platform.createService(spec({ name: 'camera', factor: 3 }));
    expect(platform.deployTemplate(camera.id, 'run', false)).toMatchObject({ result: 'updated', serviceId: id });
    expect(service('camera')).toMatchObject({ factor: 1, pathLabel: '/sensors/left' });
  });

  it('reports why it cannot be deployed', () => {
    const { platform, camera, sensors } = setUpTree();
    platform.updateTemplate(camera.id, { service: spec({ image: { ref: 'none@1#sylixos' } }) });
    expect(platform.deployTemplate(camera.id, 'run', false)).toEqual({
      templateId: camera.id,
      result: 'failed',
      serviceId: null,
      taskIds: [],
      error: '镜像ID不存在',
    });
    platform.updateTemplate(camera.id, { service: spec({ nodeNames: ['n9'] }) });
    expect(platform.deployTemplate(camera.id, 'run', false).error).toBe('节点不存在: n9');
    expect(refusal(() => platform.deployTemplate(sensors.id, 'run', false))).toBe('badRequest');
    expect(refusal(() => platform.deployTemplate('nothing', 'run', false))).toBe('templateNotFound');
  });
});
