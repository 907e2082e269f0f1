/** `explain` and the documentation are made from descriptions, so that no field may go without one. */
import type { Schema } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { ECSMService } from './ecsm-service.ts';
import { ECSMHpa } from './hpa.ts';
import { OperatorIdentity } from './operator-identity.ts';
import { ServiceRevision } from './service-revision.ts';

function undescribed(schema: Schema, path: string): string[] {
  switch (schema.type) {
    case 'object':
      return Object.entries(schema.properties).flatMap(([name, property]) => [
        ...(property.description?.trim() ? [] : [`${path}.${name}`]),
        ...undescribed(property, `${path}.${name}`),
      ]);
    case 'list':
      return undescribed(schema.items, `${path}[]`);
    case 'map':
      return undescribed(schema.values, `${path}{}`);
    default:
      return [];
  }
}

describe.each([ECSMService, ECSMHpa, ServiceRevision, OperatorIdentity])('$kind', (kind) => {
  it('describes every field', () => {
    expect(kind.description).not.toBe('');
    const { metadata: _, ...properties } = kind.schema.properties;
    const found = Object.entries(properties).flatMap(([name, property]) => [...undescribed(property, name)]);
    expect(found).toEqual([]);
  });
});
