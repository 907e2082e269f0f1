/** Rules of an ECSMService that concern more than one field. */
import type { FieldError } from '@ecsm/runtime';
import { osOf, parseImage } from './image.ts';

interface Checked {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly dependsOn?: readonly { readonly name: string; readonly namespace?: string }[];
    readonly deploymentStrategy: {
      readonly type: 'Dynamic' | 'Static';
      readonly replicas?: number;
      readonly nodePool?: readonly string[];
      readonly nodes?: readonly string[];
    };
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly maxUnavailable: number; readonly maxSurge: number };
    };
    readonly template: CheckedTemplate;
  };
}

interface CheckedTemplate {
  readonly image: string;
  readonly resources?: { readonly limits?: { readonly disk?: string } };
  readonly platformSpecific: {
    readonly root?: object;
    readonly platform?: { readonly os?: string; readonly arch?: string };
    readonly sylixos?: object;
    readonly linux?: unknown;
  };
}

const strategy = 'spec.deploymentStrategy';

export function checkService({ metadata, spec }: Checked): FieldError[] {
  return [
    ...checkPlacement(spec.deploymentStrategy),
    ...checkDependencies(metadata, spec.dependsOn ?? []),
    ...checkRolling(spec.updateStrategy),
    ...checkSystem(spec.template),
    ...checkSystemFields(spec.template),
  ];
}

function checkPlacement({ type, replicas, nodePool, nodes }: Checked['spec']['deploymentStrategy']): FieldError[] {
  const errors: FieldError[] = [];
  const required = (field: string) =>
    errors.push({ path: `${strategy}.${field}`, type: 'Required value', message: `must be set when type is ${type}` });
  const forbidden = (field: string, hint: string) =>
    errors.push({
      path: `${strategy}.${field}`,
      type: 'Forbidden',
      message: `may not be set when type is ${type}${hint}`,
    });
  if (type === 'Dynamic') {
    if (replicas === undefined) required('replicas');
    if (nodePool === undefined) required('nodePool');
    if (nodes !== undefined) forbidden('nodes', ': use nodePool');
  } else {
    if (nodes === undefined) required('nodes');
    if (replicas !== undefined) forbidden('replicas', ': there is one instance on each of nodes');
    if (nodePool !== undefined) forbidden('nodePool', ': use nodes');
  }
  return errors;
}

function checkRolling({ type, rollingUpdate }: Checked['spec']['updateStrategy']): FieldError[] {
  if (rollingUpdate === undefined) return [];
  const path = 'spec.updateStrategy.rollingUpdate';
  if (type !== 'RollingUpdate') {
    return [{ path, type: 'Forbidden', message: `may not be set when type is ${type}` }];
  }
  if (rollingUpdate.maxUnavailable > 0 || rollingUpdate.maxSurge > 0) return [];
  return [
    {
      path,
      type: 'Invalid value',
      message: 'maxUnavailable and maxSurge may not both be 0: no instance could be replaced',
    },
  ];
}

/** Longer cycles concern several objects: the operator reports them in a condition. */
function checkDependencies(
  { name, namespace }: Checked['metadata'],
  dependsOn: NonNullable<Checked['spec']['dependsOn']>,
): FieldError[] {
  const seen = new Set<string>();
  return dependsOn.flatMap((one, index): FieldError[] => {
    const needed = `${one.namespace ?? namespace}/${one.name}`;
    const path = `spec.dependsOn[${index}]`;
    const isRepeated = seen.has(needed);
    seen.add(needed);
    if (needed === `${namespace}/${name}`) {
      return [{ path, type: 'Invalid value', message: `"${needed}": a service may not depend on itself` }];
    }
    return isRepeated ? [{ path, type: 'Duplicate value', message: `"${needed}"` }] : [];
  });
}

const template = 'spec.template';

/** If the image and the template both name an operating system, they have to match. */
function checkSystem({ image, platformSpecific }: CheckedTemplate): FieldError[] {
  const os = parseImage(image)?.os;
  const wanted = platformSpecific.platform?.os;
  if (os === undefined || wanted === undefined || os === wanted) return [];
  const path = `${template}.platformSpecific.platform.os`;
  return [{ path, type: 'Invalid value', message: `"${wanted}": must be ${os}, as in the image` }];
}

/** A field that the operating system does not support would be ignored silently. */
function checkSystemFields(checked: CheckedTemplate): FieldError[] {
  const { root, platform, sylixos } = checked.platformSpecific;
  const linux = checked.platformSpecific.linux ?? undefined;
  const os = osOf(checked);
  const forbidden = (field: string, hint = ''): FieldError => ({
    path: `${template}.${field}`,
    type: 'Forbidden',
    message: `may not be set for ${os}${hint}`,
  });
  if (os !== 'linux') return linux === undefined ? [] : [forbidden('platformSpecific.linux')];
  const errors: FieldError[] = [];
  if (sylixos !== undefined) errors.push(forbidden('platformSpecific.sylixos'));
  if (root !== undefined) errors.push(forbidden('platformSpecific.root'));
  if (platform?.arch !== undefined) errors.push(forbidden('platformSpecific.platform.arch'));
  if (checked.resources?.limits?.disk !== undefined) {
    errors.push(forbidden('resources.limits.disk', ': not supported; use platformSpecific.linux'));
  }
  if (linux !== undefined && (typeof linux !== 'object' || Array.isArray(linux))) {
    errors.push({ path: `${template}.platformSpecific.linux`, type: 'Invalid value', message: 'must be an object' });
  }
  return errors;
}
