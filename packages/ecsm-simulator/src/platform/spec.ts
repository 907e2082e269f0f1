/** Validation of service specifications, and the effect of changes on containers. */
import { deepEqual } from '@ecsm/runtime';
import type { ImageSpec, Service, ServiceSpec } from './model.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

/** Maximum number of instances of a dynamic service. The real limit is unknown. */
export const instancesMax = 1_000;
const nameLengthMax = 255;

/** Returns the specification with unique node names. Throws a `Refusal`. `itself` is the service that is updated. */
export function checkSpec(world: World, spec: ServiceSpec, itself?: Service): ServiceSpec {
  checkName(world, spec.name, itself);
  checkFactor(world, spec);
  const image = world.localImage(spec.image.ref);
  if (image === undefined) throw new Refusal('imageNotFound', spec.image.ref);
  if (spec.nodeNames.length === 0) throw badField('node.names', 'has to name at least one node');
  const nodeNames = [...new Set(spec.nodeNames)];
  for (const name of nodeNames) {
    const node = world.nodesByName.get(name);
    if (node === undefined) throw new Refusal('nodeNotFound', name);
    if (node.type !== image.os) throw new Refusal('imageUnsuited', `${spec.image.ref}, ${name} (${node.type})`);
  }
  return { ...specOf(spec), nodeNames };
}

function checkName(world: World, name: string, itself: Service | undefined): void {
  if (name.trim() === '' || name.length > nameLengthMax) {
    throw badField('name', `has to have 1 to ${nameLengthMax} characters`);
  }
  if (name === itself?.name) return;
  if (itself !== undefined && world.behaviour.rename === 'refuse') throw badField('name', 'cannot be changed');
  if (world.servicesByName.has(name)) throw new Refusal('serviceNameTaken', name);
}

function checkFactor(world: World, { factor, policy }: ServiceSpec): void {
  if (!Number.isSafeInteger(factor) || factor < 0) throw badField('factor', 'has to be a whole number, 0 or more');
  if (policy === 'static') return;
  if (factor === 0 && world.behaviour.factorZero === 'refuse') throw badField('factor', 'has to be 1 or more');
  if (factor > instancesMax) throw badField('factor', `has to be ${instancesMax} or less`);
}

function badField(name: string, what: string): Refusal {
  return new Refusal('badRequest', `${name} ${what}`, { [name]: what });
}

/** Only the specification, without the state of the service. */
export function specOf({ name, image, nodeNames, factor, policy, prepull }: ServiceSpec): ServiceSpec {
  return { name, image, nodeNames, factor, policy, prepull };
}

/** Whether containers must be redeployed. Pull and upgrade policies apply to the next deployment only. */
export function changesContainers(before: ImageSpec, after: ImageSpec): boolean {
  const { pullPolicy: _pullBefore, autoUpgrade: _upgradeBefore, ...imageBefore } = before;
  const { pullPolicy: _pullAfter, autoUpgrade: _upgradeAfter, ...imageAfter } = after;
  return !deepEqual(imageBefore, imageAfter);
}
