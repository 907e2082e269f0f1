import { defineKind, schema, timestamp } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CustomResourceDefinition } from '../kinds/custom-resource-definition.ts';
import { quantity } from '../kinds/quantity.ts';
import { customResourceDefinition } from './definition.ts';
import { goPattern } from './go-pattern.ts';
import { structural } from './structural.ts';
import { manifestYaml } from './text.ts';

const { anything, boolean, integer, integerOrString, list, map, number, object, optional, string, withDefault } =
  schema;

const Gadget = defineKind({
  group: 'example.io',
  version: 'v1alpha1',
  kind: 'Gadget',
  plural: 'gadgets',
  shortNames: ['gd'],
  categories: ['all'],
  description: 'A gadget.',
  spec: object({
    size: withDefault(integer({ minimum: 0, description: 'How many.' }), 1),
    parts: optional(list(object({ name: string() }), { uniqueBy: 'name' })),
    labels: optional(map(string())),
  }),
  status: object({ replicas: optional(integer()), selector: optional(string()), since: optional(timestamp()) }),
  columns: [
    { name: 'SIZE', path: 'spec.size' },
    { name: 'SINCE', path: 'status.since' },
    { name: 'COMPUTED', value: () => 'x' },
    { name: 'APP', wide: true, path: 'metadata.labels[example.com/app]' },
    { name: 'PART', wide: true, path: 'spec.parts[0].name' },
  ],
  scale: {
    specReplicasPath: 'spec.size',
    statusReplicasPath: 'status.replicas',
    labelSelectorPath: 'status.selector',
  },
});

const rule = { rule: 'self.size() < 10', message: 'must be short' };

describe('customResourceDefinition', () => {
  const definition = customResourceDefinition(Gadget, {
    validations: [
      { path: '', rule: 'true', message: 'never' },
      { path: 'spec.parts.*.name', ...rule },
      { path: 'spec.labels.*', ...rule },
    ],
    selectableFields: ['spec.size'],
  });

  it('is a valid object with the names of the kind', () => {
    expect(CustomResourceDefinition.parse(definition).metadata.name).toBe('gadgets.example.io');
    expect(definition.spec).toMatchObject({
      group: 'example.io',
      scope: 'Namespaced',
      names: {
        kind: 'Gadget',
        listKind: 'GadgetList',
        plural: 'gadgets',
        singular: 'gadget',
        shortNames: ['gd'],
        categories: ['all'],
      },
    });
  });

  it('has columns for fields, and the age', () => {
    expect(definition.spec.versions[0]?.['additionalPrinterColumns']).toEqual([
      { name: 'SIZE', type: 'integer', jsonPath: '.spec.size', description: 'How many.' },
      { name: 'SINCE', type: 'date', jsonPath: '.status.since' },
      { name: 'APP', type: 'string', jsonPath: ".metadata.labels['example\\.com/app']", priority: 1 },
      { name: 'PART', type: 'string', jsonPath: '.spec.parts[0].name', priority: 1 },
      { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ]);
  });

  it('has subresources, selectable fields, and rules where they belong', () => {
    expect(definition.spec.versions[0]).toMatchObject({
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.size',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      selectableFields: [{ jsonPath: '.spec.size' }],
      schema: {
        openAPIV3Schema: {
          required: ['spec'],
          'x-kubernetes-validations': [{ rule: 'true', message: 'never' }],
          properties: {
            metadata: { type: 'object' },
            spec: {
              properties: {
                parts: { items: { properties: { name: { 'x-kubernetes-validations': [rule] } } } },
                labels: { additionalProperties: { 'x-kubernetes-validations': [rule] } },
              },
            },
          },
        },
      },
    });
  });

  it('refuses a rule for a field that does not exist', () => {
    const validations = [{ path: 'spec.colour', ...rule }];
    expect(() => customResourceDefinition(Gadget, { validations })).toThrow('spec.colour');
  });
});

describe('structural', () => {
  it.each([
    [string({ minLength: 1, maxLength: 2 }), { type: 'string', minLength: 1, maxLength: 2 }],
    [string({ enum: ['a', 'b'] }), { type: 'string', enum: ['a', 'b'] }],
    [string({ pattern: { expression: /^a$/u, hint: '' } }), { type: 'string', pattern: '^a$' }],
    [string({ format: { name: 'even', check: () => undefined } }), { type: 'string' }],
    [timestamp(), { type: 'string', format: 'date-time' }],
    [integer({ maximum: 5 }), { type: 'integer', format: 'int64', maximum: 5 }],
    [number({ minimum: 0.5 }), { type: 'number', minimum: 0.5 }],
    [boolean({ description: 'Yes.' }), { type: 'boolean', description: 'Yes.' }],
    [anything(), { 'x-kubernetes-preserve-unknown-fields': true }],
    [integerOrString(), { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }],
    [
      list(string(), { uniqueItems: true }),
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ],
    [
      list(object({ k: string() }), { uniqueBy: 'k' }),
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
    ],
    [
      map(boolean(), { maxProperties: 3 }),
      { type: 'object', additionalProperties: { type: 'boolean' }, maxProperties: 3 },
    ],
    [map(anything()), { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    [
      withDefault(object({ a: withDefault(integer(), 1) }), {}),
      {
        type: 'object',
        properties: { a: { type: 'integer', format: 'int64', default: 1 } },
        default: { a: 1 },
      },
    ],
    [
      object({ a: withDefault(integer(), 1) }, { open: true }),
      {
        type: 'object',
        properties: { a: { type: 'integer', format: 'int64', default: 1 } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
  ])('converts %#', (from, to) => {
    expect(structural(from)).toEqual(to);
  });

  it('has the syntax of quantities', () => {
    expect(new RegExp(String(structural(quantity())['pattern'])).test('10Gi')).toBe(true);
  });

  it('refuses a list whose key may be absent', () => {
    expect(() => structural(list(object({ k: optional(string()) }), { uniqueBy: 'k' }))).toThrow('may not be optional');
  });
});

describe('goPattern', () => {
  it.each([
    [/^\d+\/(?:a|b)$/u, '^\\d+\\/(?:a|b)$'],
    [/[\u00e9\u{1F600}]/u, '[\\x{00e9}\\x{1F600}]'],
    [/\\u00e9/, '\\\\u00e9'],
    [/(?<year>\d{4})/u, '(?P<year>\\d{4})'],
  ])('converts %s', (from, to) => {
    expect(goPattern(from)).toBe(to);
  });

  it.each([/(?=a)b/u, /(?<!a)b/u, /(a)\1/u, /a{1,1001}/u])('refuses %s', (pattern) => {
    expect(() => goPattern(pattern)).toThrow('has no equivalent in Go');
  });
});

describe('manifestYaml', () => {
  it('writes documents that can be read again', async () => {
    const definition = customResourceDefinition(Gadget);
    const text = await manifestYaml([definition, { a: 'yes: "no"' }]);
    expect(parseAllDocuments(text).map((document) => document.toJSON())).toEqual([definition, { a: 'yes: "no"' }]);
    expect(parse(await manifestYaml([definition]))).toEqual(definition);
  });
});
