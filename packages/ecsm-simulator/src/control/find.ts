/** Finds objects by name or id. Throws `ControlError` if there is none. */
import type { Container, Node, Service } from '../platform/model.ts';
import { didYouMean } from './did-you-mean.ts';
import { ControlError } from './input.ts';
import type { ControlCall } from './subject.ts';

export function findNode({ platform, parameters }: ControlCall): Node {
  const name = parameters.get('node') ?? '';
  const node = platform.nodeNamed(name) ?? platform.node(name);
  if (node) return node;
  const names = platform.nodes().map((other) => other.name);
  throw new ControlError(404, `there is no node "${name}".${didYouMean(name, names)}`);
}

export function findService({ platform, parameters }: ControlCall): Service {
  const name = parameters.get('service') ?? '';
  const service = platform.serviceNamed(name) ?? platform.service(name);
  if (service) return service;
  const names = platform.services().map((other) => other.name);
  throw new ControlError(404, `there is no service "${name}".${didYouMean(name, names)}`);
}

export function findContainer({ platform, parameters }: ControlCall): Container {
  const name = parameters.get('container') ?? '';
  const container = platform.containerNamed(name) ?? platform.container(name);
  if (container) return container;
  const names = platform.services().flatMap(({ id }) => platform.containersOfService(id).map((other) => other.name));
  throw new ControlError(404, `there is no container "${name}".${didYouMean(name, names)}`);
}
