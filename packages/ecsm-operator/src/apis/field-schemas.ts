/** Schemas that several fields share. */
import { schema } from '@ecsm/runtime';
import { quantityFormat } from './quantity.ts';

const { integer, string } = schema;

export const absolutePath = (description: string) =>
  string({
    maxLength: 4096,
    pattern: { expression: /^\/[^\0]*$/u, hint: 'must be an absolute path' },
    description,
  });

export const quantity = (description: string) => string({ format: quantityFormat, maxLength: 32, description });

export const seconds = (minimum: number, description: string) => integer({ minimum, maximum: 86_400, description });
