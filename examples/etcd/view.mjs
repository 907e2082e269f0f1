/** The view of the demonstration: the cluster, its members and what the operator is doing, as wide as the terminal. */
import { whyUnsettled } from '@ecsm/etcd-operator';
import { cut } from '../quickstart/view.mjs';

const titles = ['MEMBER', 'ROLE', 'VERSION', 'DATABASE', 'PROCESS', 'RESTARTS', 'STATE'];

export function isDone(cluster) {
  return whyUnsettled(cluster) === undefined;
}

/** One line: the phase, the number of members and what is being done. */
export function clusterLine(cluster) {
  const { spec, status = {}, metadata } = cluster;
  const { phase = 'Pending', readyReplicas = 0, currentVersion } = status;
  const version = currentVersion === undefined ? '' : `  etcd ${currentVersion}`;
  return `etcd/${metadata.name}  ${phase}  ${readyReplicas}/${spec.size} ready${version}`;
}

/** What the operator is doing, or why it does nothing. */
export function activity(cluster) {
  const { status, metadata } = cluster;
  const messageOf = (type) => status?.conditions?.find((one) => one.type === type && one.status === 'True')?.message;
  const message = messageOf('Degraded') ?? messageOf('Progressing');
  const { type, slot } = status?.operation ?? {};
  const operation = slot === undefined ? type : `${type} ${metadata.name}-${slot}`;
  const parts = [operation, message === type ? undefined : message].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(': ');
  return whyUnsettled(cluster) ?? 'there is nothing to do';
}

/** Pods and members by name: a pod may not be a member yet, and a member may have no pod. Other pods are left out. */
export function memberRows({ metadata, status }, pods) {
  const members = status?.members ?? [];
  const isOfCluster = (name) => name.replace(/-\d+$/, '') === metadata.name;
  const podNames = pods.map(({ name }) => name).filter(isOfCluster);
  const names = new Set([...members.map(({ name }) => name).filter((one) => one), ...podNames]);
  return [...names].sort(bySlot).map((name) => {
    const member = members.find((one) => one.name === name);
    const pod = pods.find((one) => one.name === name);
    const state = member?.ready ? 'serves' : (member?.message ?? (member ? 'does not serve' : 'is not a member'));
    const role = member?.role ?? '';
    const size = member?.dbSizeBytes === undefined ? '' : `${Math.ceil(member.dbSizeBytes / 1024)} KiB`;
    return [name, role, member?.version ?? '', size, String(pod?.pid ?? ''), String(pod?.restartCount ?? ''), state];
  });
}

function bySlot(one, other) {
  const slotOf = (name) => Number(name.slice(name.lastIndexOf('-') + 1));
  return slotOf(one) - slotOf(other);
}

export function clusterLines(cluster, pods, paint, columns) {
  const rows = memberRows(cluster, pods);
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const lineOf = (row) => cut(row.map((cell, column) => cell.padEnd(widths[column])).join('  '), columns);
  const colour = isDone(cluster) ? 'green' : 'yellow';
  return [
    paint('bold', paint(colour, cut(clusterLine(cluster), columns))),
    paint(colour, cut(`  ${activity(cluster)}`, columns)),
    '',
    paint('bold', lineOf(titles)),
    ...rows.map((row) => paint(row.at(-1) === 'serves' ? 'green' : 'yellow', lineOf(row))),
  ];
}

/** Commands for another terminal, with values of the present state. */
export function hintLines(cluster, pods, { environment, backup, upgrade }, paint) {
  const { name } = cluster.metadata;
  const followers = (cluster.status?.members ?? []).filter(({ role, ready }) => ready && role === 'follower');
  const follower = followers.at(-1)?.name;
  const pid = pods.find((pod) => pod.name === follower)?.pid;
  const size = cluster.spec.size === 3 ? 5 : 3;
  const version = JSON.stringify({ spec: { version: `v${upgrade}` } });
  return [
    paint('bold', 'Try this in another terminal, with sh or bash. Ctrl-C stops everything.'),
    `  . ${environment}`,
    `  kubectl get etcd,pods,pvc`,
    `  etcdctl put greeting hello && etcdctl get greeting && etcdctl member list`,
    `  kubectl scale etcd/${name} --replicas=${size}`,
    ...(pid === undefined
      ? []
      : [
          `  kill -9 ${pid}    # ${follower}: it is restarted with its data`,
          `  kubectl delete pvc/data-${follower} pod/${follower} --wait=false    # it is replaced`,
        ]),
    `  kubectl apply -f ${backup}    # backs it up`,
    ...(upgrade === undefined ? [] : [`  kubectl patch etcd/${name} --type=merge -p '${version}'`]),
    `  kubectl scale etcd/${name} --replicas=0    # stops it; volumes are kept`,
  ];
}
