/** Tables of the loaded modules: reasons, errors, settings, endpoints of the platform, and the simulator. */
import { endpoints } from '@ecsm/client';
import { conditionReasons, conditionTypes, eventReasons, phases, settingsDefault } from '@ecsm/etcd-operator';
import { operatorSettings, reasons } from '@ecsm/operator';
import { catalogue, limits } from '@ecsm/runtime';
import { healthyLink, profiles, refusals } from '@ecsm/simulator';
import { hpaReasons } from '../../packages/ecsm-operator/dist/service/autoscaling/reasons.js';
import { routes } from '../../packages/ecsm-simulator/dist/api/routes.js';
import * as backups from '../../packages/etcd-operator/dist/apis/backup-reasons.js';
import { rows, sections } from './text.mjs';

export function tables() {
  return {
    'reasons.txt': sections({
      'ECSMService: reasons, the conditions that have them, or event': placed(reasons),
      'ECSMHpa: reasons, the conditions that have them, or event': placed(hpaReasons),
      'EtcdCluster: phases': rows(phases.map((phase) => [phase])),
      'EtcdCluster: conditions': entries(conditionTypes),
      'EtcdCluster: reasons of conditions': entries(conditionReasons),
      'EtcdCluster: reasons of events': entries(eventReasons),
      'EtcdBackup: conditions': entries(backups.backupConditionTypes),
      'EtcdBackup: reasons of conditions': entries(backups.backupReasons),
      'EtcdBackup: reasons of events': entries(backups.backupEventReasons),
      'EtcdRestore: conditions': entries(backups.restoreConditionTypes),
      'EtcdRestore: reasons of conditions': entries(backups.restoreReasons),
      'EtcdRestore: reasons of events': entries(backups.restoreEventReasons),
    }),
    'errors.txt': rows(
      Object.entries(catalogue).map(([code, { status, retry, when, message }]) => [
        ...[code, status, retry, when],
        message(errorDetails),
      ]),
    ),
    'settings.txt': sections({
      'ecsm-operator': entries(flat(operatorSettings())),
      'etcd-operator': entries(settingsDefault),
      store: entries(limits),
    }),
    'platform-endpoints.txt': rows(
      endpoints.map(({ endpoint, section, marks, method }) => [endpoint, section, marks.join(' '), method]),
    ),
    'simulator.txt': sections({
      Routes: rows(routes.map(({ method, path, section, mark }) => [method, path, section, mark])),
      Refusals: rows(
        Object.entries(refusals).map(([name, { code, httpStatus, text }]) => [name, code, httpStatus, text]),
      ),
      'Settings of the link': entries(healthyLink),
      ...Object.fromEntries(Object.entries(profiles).map(([name, values]) => [`Profile ${name}`, entries(values)])),
    }),
  };
}

function placed(all) {
  return rows(Object.entries(all).map(([reason, { in: places, sentence }]) => [reason, places.join(', '), sentence]));
}

function entries(all) {
  return rows(Object.entries(all));
}

/** Settings of parts as `plan.pollMs`. */
function flat(settings) {
  const pairs = Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([part, inner]) => [`${name}.${part}`, inner])
      : [[name, value]],
  );
  return Object.fromEntries(pairs);
}

/** What an error of any code may say. */
const errorDetails = {
  ...{ kind: '<kind>', name: '<name>', reason: '<reason>', what: '<what>', fence: '<fence>', epoch: '<epoch>' },
  ...{ timeoutMs: 1000, sizeBytes: 2, limitBytes: 1, position: { file: '<file>', line: 1, column: 2 } },
  errors: [{ path: '<path>', type: 'Invalid value', message: '<message>' }],
};
