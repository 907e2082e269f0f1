/** What a registry has to be opened with for an operator to work in it. */
import { Event, type Kind, Lease } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { OperatorIdentity } from '../apis/operator-identity.ts';
import { ServiceRevision } from '../apis/service-revision.ts';

export const operatorKinds: readonly Kind[] = [ECSMService, ServiceRevision, OperatorIdentity, Event, Lease];
