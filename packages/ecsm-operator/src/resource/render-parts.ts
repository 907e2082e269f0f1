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

/** `Internal` for what is no quantity: the kind lets none pass. */
export function bytesOf(quantity: string): number {
  const bytes = parseQuantity(quantity);
  if (bytes === undefined) throw new ApiError('Internal', { reason: `"${quantity}" is no quantity` });
  return bytes;
}

/** The platform counts in whole ones. Rounded up: nobody gets less than they asked for. */
export function mebibytesOf(bytes: number): number {
  return Math.ceil(bytes / mebibyte);
}
