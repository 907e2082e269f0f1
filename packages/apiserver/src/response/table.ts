/**
 * Objects as a `Table` of meta.k8s.io/v1, which `kubectl get` prints. The columns are those of the kind, after the name;
 * the age is the last one that is shown without `-o wide`, unless the kind has a column for it.
 */
import { type ApiObject, Event, formatAge, type Kind, timeMsOf } from '@ecsm/runtime';
import { type ListMetadata, type ListOf, listMetadata, type PartialObjectMetadata, partialOf } from './partial.ts';

type IncludeObject = 'None' | 'Metadata' | 'Object';

interface TableOptions {
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
  /** Only the first table of a watch has them. */
  readonly columnDefinitions: boolean;
}

interface TableColumnDefinition {
  readonly name: string;
  readonly type: 'string';
  readonly format: string;
  readonly description: string;
  /** Columns above 0 are shown with `-o wide` only. */
  readonly priority: number;
}

interface TableRow {
  readonly cells: readonly string[];
  readonly object?: PartialObjectMetadata | ApiObject<unknown, unknown>;
}

interface Table {
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly kind: 'Table';
  readonly metadata: ListMetadata;
  readonly columnDefinitions: readonly TableColumnDefinition[];
  readonly rows: readonly TableRow[];
}

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.';
const ageDescription = 'Time since the object was created.';

export function tableOf(kind: Kind, list: ListOf<ApiObject<unknown, unknown>>, options: TableOptions): Table {
  const age = ageFormatter(options.nowMs);
  const columns = columnsOf(kind);
  const rows = list.items.map((object) => ({
    cells: columns.map(({ value }) => value(object, age)),
    ...includedObject(object, options.includeObject),
  }));
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'Table',
    metadata: listMetadata(list),
    columnDefinitions: options.columnDefinitions ? columns.map((column, index) => shownFor(column, index, rows)) : [],
    rows,
  };
}

/** The form of `tableOf` for one object, as the answer to get, create and patch. */
export function tableOfObject(kind: Kind, object: ApiObject<unknown, unknown>, options: TableOptions): Table {
  return tableOf(kind, { items: [object], resourceVersion: object.metadata.resourceVersion }, options);
}

interface TableColumn {
  readonly definition: TableColumnDefinition;
  /** Shown without `-o wide` if a row has a value. */
  readonly sparse?: boolean;
  readonly value: (object: ApiObject<unknown, unknown>, age: (timestamp: string) => string) => string;
}

function shownFor(
  { definition, sparse }: TableColumn,
  index: number,
  rows: readonly TableRow[],
): TableColumnDefinition {
  return sparse && rows.some(({ cells }) => cells[index] !== '') ? { ...definition, priority: 0 } : definition;
}

function columnsOf(kind: Kind): readonly TableColumn[] {
  const own = kind.columns.map(({ name, wide, sparse = false, value }): TableColumn & { readonly wide: boolean } => ({
    definition: definitionOf(titleCase(name), { priority: wide ? 1 : 0 }),
    value: (object, age) => cellOf(value(object), age),
    wide: wide === true,
    sparse,
  }));
  // Kubernetes shows events by their time, and their names only with `-o wide`.
  if (kind.group === Event.group && kind.plural === Event.plural) return [...own, nameColumn(1)];
  if (own.some(({ definition }) => definition.name === ageColumn.definition.name)) return [nameColumn(0), ...own];
  return [nameColumn(0), ...own.filter(({ wide }) => !wide), ageColumn, ...own.filter(({ wide }) => wide)];
}

function definitionOf(name: string, options: Partial<TableColumnDefinition>): TableColumnDefinition {
  return { name, type: 'string', format: '', description: '', priority: 0, ...options };
}

function nameColumn(priority: number): TableColumn {
  return {
    definition: definitionOf('Name', { format: 'name', description: nameDescription, priority }),
    value: ({ metadata }) => metadata.name,
  };
}

const ageColumn: TableColumn = {
  definition: definitionOf('Age', { description: ageDescription }),
  value: ({ metadata }, age) => age(metadata.creationTimestamp),
};

/** `UP-TO-DATE` is `Up-To-Date`: kubectl shows column names in upper case, and other clients as they are. */
function titleCase(name: string): string {
  return name.toLowerCase().replace(/(^|[^a-z0-9])([a-z])/gu, (_, before: string, letter: string) => {
    return before + letter.toUpperCase();
  });
}

/** Timestamps are shown as ages, as in the tables of `ecsmctl`. */
function cellOf(text: string, age: (timestamp: string) => string): string {
  return text.length >= 20 && timestamp.test(text) ? age(text) : text;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u;

function includedObject(object: ApiObject<unknown, unknown>, include: IncludeObject): Pick<TableRow, 'object'> {
  switch (include) {
    case 'None':
      return {};
    case 'Metadata':
      return { object: partialOf(object) };
    case 'Object':
      return { object };
  }
}

function ageFormatter(nowMs: number): (timestamp: string) => string {
  let lastTimestamp = '';
  let lastAge = '<unknown>';
  return (timestamp) => {
    // Objects that were applied together have the same timestamp.
    if (timestamp !== lastTimestamp) {
      const timeMs = timeMsOf(timestamp);
      lastAge = timeMs === undefined ? '<unknown>' : formatAge(nowMs - timeMs);
      lastTimestamp = timestamp;
    }
    return lastAge;
  };
}
