/** Sizes. */
import { parseQuantity } from '@ecsm/kubernetes';

/** Bytes of a quantity such as `10Gi`; 0 for something else, which validation reports. */
export function bytesOf(quantity: string | number): number {
  return parseQuantity(quantity) ?? 0;
}
