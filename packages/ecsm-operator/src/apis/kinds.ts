/** The kinds with which the registry of an operator is opened. */
import { Event, type Kind, Lease, PriorityClass } from '@ecsm/runtime';
import { ECSMService } from './ecsm-service.ts';
import { ECSMHpa } from './hpa.ts';
import { OperatorIdentity } from './operator-identity.ts';
import { ServiceRevision } from './service-revision.ts';

export const operatorKinds: readonly Kind[] = [
  ECSMService,
  ECSMHpa,
  ServiceRevision,
  OperatorIdentity,
  PriorityClass,
  Event,
  Lease,
];
