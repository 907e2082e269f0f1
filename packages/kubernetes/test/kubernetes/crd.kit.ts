/** CustomResourceDefinitions of the kinds of tests, with their rules in CEL. */
import type { Kind } from '@ecsm/runtime';
import { customResourceDefinition, type Validation } from '../../src/crd/definition.ts';
import type { CustomResourceDefinitionInput } from '../../src/kinds/custom-resource-definition.ts';

/** Rules between fields are code in a kind, and CEL in a CustomResourceDefinition. By kind. */
const validations: Readonly<Record<string, readonly Validation[]>> = {
  Widget: [
    {
      path: 'spec',
      rule: "!(has(self.colour) && self.colour == 'red' && self.size > 100)",
      message: 'a red widget has at most 100',
      fieldPath: '.size',
    },
    {
      path: 'spec',
      rule: '!has(oldSelf.colour) || (has(self.colour) && self.colour == oldSelf.colour)',
      message: 'cannot be changed once it is set',
      fieldPath: '.colour',
      reason: 'FieldValueForbidden',
    },
  ],
};

/** Kubernetes allows no more. */
const selectableFieldsMax = 8;

export function crdOf(kind: Kind): CustomResourceDefinitionInput {
  const selectableFields = Object.entries(kind.spec?.properties ?? {})
    .filter(([, { type }]) => ['string', 'integer', 'boolean'].includes(type))
    .map(([name]) => `spec.${name}`)
    .slice(0, selectableFieldsMax);
  return customResourceDefinition(kind, { validations: validations[kind.kind] ?? [], selectableFields });
}
