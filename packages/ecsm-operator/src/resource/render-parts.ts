/** Parts of a configuration that both operating systems share. */
import type { EcsMount } from '@ecsm/client';
import { ApiError } from '@ecsm/runtime';
import type { ServiceTemplate } from '../apis/ecsm-service.ts';
import { parseQuantity } from '../apis/quantity.ts';

const mebibyte = 2 ** 20;

export function environmentLines({ env = [] }: Pick<ServiceTemplate, 'env'>): readonly string[] {
  return env.map(({ name, value }) => `${name}=${value}`);
}

export function mountsOf({ volumeMounts }: Pick<ServiceTemplate, 'volumeMounts'>): readonly EcsMount[] | undefined {
  return volumeMounts?.map(({ hostPath, containerPath, readOnly }) => ({
    destination: containerPath,
    source: hostPath,
    options: [readOnly ? 'ro' : 'rw'],
  }));
}

/** Throws `Internal` if it is not a quantity, which the schema of the kind prevents. */
export function bytesOf(quantity: string): number {
  const bytes = parseQuantity(quantity);
  if (bytes === undefined) throw new ApiError('Internal', { reason: `"${quantity}" is not a valid quantity` });
  return bytes;
}

/** The platform uses whole mebibytes. Rounded up, so that a limit is never smaller than the spec. */
export function mebibytesOf(bytes: number): number {
  return Math.ceil(bytes / mebibyte);
}
