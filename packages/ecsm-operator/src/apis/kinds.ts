/** The kinds with which the registry of an operator is opened. */
import { Event, type Kind, Lease } from '@ecsm/runtime';
import { ECSMService } from './ecsm-service.ts';
import { OperatorIdentity } from './operator-identity.ts';
import { ServiceRevision } from './service-revision.ts';

export const operatorKinds: readonly Kind[] = [ECSMService, ServiceRevision, OperatorIdentity, Event, Lease];
