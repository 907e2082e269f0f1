/** The CustomResourceDefinitions of EtcdBackup and EtcdRestore, with the rules of `backup-rules.ts` in CEL. */
import { type CustomResourceDefinitionInput, customResourceDefinition, type Validation } from '@ecsm/kubernetes';
import {
  CONFIRM_MESSAGE,
  forbiddenFor,
  ONLY_NEW_MESSAGE,
  ONLY_REPLACE_MESSAGE,
  ONLY_SCHEDULE_MESSAGE,
  RUN_NAME_LENGTH_MAX,
  requiredFor,
  SCHEDULE_MESSAGE,
  SCHEDULE_NAME_LENGTH_MAX,
  SOURCE_MESSAGE,
  STARTED_MESSAGE,
  TEMPLATE_SIZE_MESSAGE,
} from './backup-rules.ts';
import { EtcdBackup } from './etcd-backup.ts';
import { EtcdRestore } from './etcd-restore.ts';

const forbidden = { reason: 'FieldValueForbidden' } as const;

const location = (path: string): readonly Validation[] =>
  (
    [
      ['S3', 's3', 'volume'],
      ['Volume', 'volume', 's3'],
    ] as const
  ).flatMap(([type, own, other]): readonly Validation[] => [
    {
      path,
      rule: `self.storageType != '${type}' || has(self.${own})`,
      message: requiredFor(type),
      fieldPath: `.${own}`,
      reason: 'FieldValueRequired',
    },
    {
      path,
      rule: `self.storageType != '${type}' || !has(self.${other})`,
      message: forbiddenFor(type),
      fieldPath: `.${other}`,
      ...forbidden,
    },
  ]);

const runName: Validation = {
  path: '',
  rule: `self.metadata.name.size() <= ${RUN_NAME_LENGTH_MAX}`,
  message: `the name must be no more than ${RUN_NAME_LENGTH_MAX} characters`,
};

const started: Validation = {
  path: '',
  rule: '!has(oldSelf.status) || !has(oldSelf.status.startTime) || self.spec == oldSelf.spec',
  message: `spec: ${STARTED_MESSAGE}`,
  ...forbidden,
};

const etcdBackupValidations: readonly Validation[] = [
  runName,
  {
    path: '',
    rule: `!has(self.spec.schedule) || self.metadata.name.size() <= ${SCHEDULE_NAME_LENGTH_MAX}`,
    message: `the name must be no more than ${SCHEDULE_NAME_LENGTH_MAX} characters, as those of runs are longer`,
  },
  started,
  {
    path: 'spec',
    rule: 'has(self.schedule) == has(oldSelf.schedule)',
    message: SCHEDULE_MESSAGE,
    fieldPath: '.schedule',
    ...forbidden,
  },
  ...['retentionPolicy', 'rehearse'].map(
    (field): Validation => ({
      path: 'spec',
      rule: `!has(self.${field}) || has(self.schedule)`,
      message: ONLY_SCHEDULE_MESSAGE,
      fieldPath: `.${field}`,
      ...forbidden,
    }),
  ),
  ...location('spec'),
];

/** What a restore is about. The template of a cluster is too large to compare in CEL: the operator reports its changes. */
const restoreFields = ['backupName', 'clusterName', 'restoreType', 'confirmReplace', 'revisionBump', 'safetyBackup'];

const restoreStarted: Validation = {
  ...started,
  rule: ['!has(oldSelf.status) || !has(oldSelf.status.startTime)', restoreFields.map(isSame).join(' && ')].join(' || '),
};

function isSame(field: string): string {
  const [now, before] = [`self.spec.${field}`, `oldSelf.spec.${field}`];
  return `has(${now}) == has(${before}) && (!has(${now}) || ${now} == ${before})`;
}

const etcdRestoreValidations: readonly Validation[] = [
  runName,
  restoreStarted,
  { path: 'spec', rule: 'has(self.backupName) != has(self.location)', message: SOURCE_MESSAGE },
  ...location('spec.location'),
  {
    path: 'spec',
    rule: "self.restoreType != 'Replace' || (has(self.confirmReplace) && self.confirmReplace == self.clusterName)",
    message: CONFIRM_MESSAGE,
    fieldPath: '.confirmReplace',
  },
  {
    path: 'spec',
    rule: "self.restoreType != 'Replace' || !has(self.clusterTemplate)",
    message: ONLY_NEW_MESSAGE,
    fieldPath: '.clusterTemplate',
    ...forbidden,
  },
  {
    path: 'spec',
    rule: "self.restoreType != 'New' || !has(self.confirmReplace)",
    message: ONLY_REPLACE_MESSAGE,
    fieldPath: '.confirmReplace',
    ...forbidden,
  },
  {
    path: 'spec',
    rule: '!has(self.clusterTemplate) || self.clusterTemplate.size > 0',
    message: TEMPLATE_SIZE_MESSAGE,
    fieldPath: '.clusterTemplate.size',
  },
];

export function etcdBackupDefinition(): CustomResourceDefinitionInput {
  return customResourceDefinition(EtcdBackup, { validations: etcdBackupValidations });
}

export function etcdRestoreDefinition(): CustomResourceDefinitionInput {
  return customResourceDefinition(EtcdRestore, { validations: etcdRestoreValidations });
}
