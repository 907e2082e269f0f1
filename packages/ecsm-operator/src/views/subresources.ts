/** Subresources of pods that Kubernetes has and the platform has not. */

const reasons: Readonly<Record<string, string>> = {
  log: 'the ECSM platform has no API for the output of containers; read it on the node',
  exec: 'the ECSM platform has no API to run commands in containers; use a shell on the node',
  attach: 'the ECSM platform has no API to attach to containers; use a shell on the node',
  portforward: 'the ECSM platform has no API to forward ports; connect to the address of the node',
};

/** Why a pod does not have this subresource. Returns undefined if Kubernetes has none of this name that reads or connects. */
export function podSubresourceReason(name: string): string | undefined {
  return Object.hasOwn(reasons, name) ? reasons[name] : undefined;
}
