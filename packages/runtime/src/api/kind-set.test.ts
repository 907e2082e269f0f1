import { describe, expect, it } from 'vitest';
import { Widget } from './example.kit.ts';
import { defineKind, type Kind } from './kind.ts';
import { KindSet } from './kind-set.ts';
import { object } from './schema/build.ts';

const thing = (group: string, version: string, kind: string, plural: string, shortNames: string[] = []): Kind =>
  defineKind({ group, version, kind, plural, shortNames, spec: object({}), status: object({}), columns: [] });

const gadget = thing('a.io', 'v1', 'Gadget', 'gadgets', ['gd']);
const otherGadget = thing('b.io', 'v1', 'Gadget', 'gadgets');
const oldWidget = thing('example.io', 'v1beta1', 'Widget', 'widgets');
const kinds = new KindSet([Widget, oldWidget, gadget, otherGadget]);

describe('a set of kinds', () => {
  it('finds a kind by its API version and name', () => {
    expect(kinds.find('example.io/v1', 'Widget')).toBe(Widget);
    expect(kinds.get('example.io/v1beta1', 'Widget')).toBe(oldWidget);
    expect(kinds.find('example.io/v2', 'Widget')).toBeUndefined();
  });

  it.each(['widgets', 'widget', 'wd', 'Widget', 'WIDGETS', 'widgets.example.io', 'wd.example.io'])(
    'finds the preferred version by %j',
    (name) => {
      expect(kinds.named(name)).toBe(Widget);
    },
  );

  it('refuses a name that two kinds have', () => {
    expect(kinds.allNamed('gadgets').map(({ group }) => group)).toEqual(['a.io', 'b.io']);
    expect(kinds.allNamed('nothing')).toEqual([]);
    expect(() => kinds.named('gadgets')).toThrow('"gadgets" is ambiguous: use gadgets.a.io or gadgets.b.io');
    expect(kinds.named('gadgets.b.io')).toBe(otherGadget);
    expect(kinds.named('gd')).toBe(gadget);
  });

  it('suggests the nearest name', () => {
    expect(() => kinds.get('example.io/v1', 'Wigdet')).toThrow(
      'no kind "Wigdet" in "example.io/v1": did you mean "Widget"?',
    );
    expect(() => kinds.get('example.io/v3', 'Widget')).toThrow('did you mean "example.io/v1"?');
    expect(() => kinds.get('apps/v1', 'Deployment')).toThrow('known kinds are "Widget", "Gadget"');
    expect(() => kinds.named('widgts')).toThrow('unknown resource type "widgts": did you mean "widgets"?');
    expect(() => kinds.named('deployments')).toThrow('known types are "widgets", "gadgets"');
    expect(() => new KindSet([]).named('pods')).toThrow('unknown resource type "pods": there are no known types');
  });

  it('lists the kinds of a category', () => {
    expect(kinds.inCategory('all')).toEqual([Widget]);
    expect(kinds.inCategory('none')).toEqual([]);
  });

  it('holds a kind only once', () => {
    expect(() => new KindSet([Widget, Widget])).toThrow('kind Widget of example.io/v1 is defined twice');
  });
});
