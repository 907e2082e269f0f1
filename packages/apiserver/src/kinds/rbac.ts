/** The kinds of rbac.authorization.k8s.io/v1: Role, ClusterRole, RoleBinding, ClusterRoleBinding. Rules as in Kubernetes. */
import {
  defineFieldsKind,
  type FieldError,
  type Infer,
  labelSelectorSchema,
  schema,
  validateLabelSelector,
} from '@ecsm/runtime';

const { list, object, optional, string, withDefault } = schema;

export const rbacGroup = 'rbac.authorization.k8s.io';

const names = { group: rbacGroup, version: 'v1', names: 'path' } as const;
const listItemsMax = 1_000;
const rulesMax = 1_000;
const subjectsMax = 1_000;

const texts = (description: string) =>
  optional(list(string({ maxLength: 1_024 }), { maxItems: listItemsMax, description }));

const ruleSchema = object({
  verbs: list(string({ maxLength: 253 }), {
    minItems: 1,
    maxItems: listItemsMax,
    description: 'What is allowed, such as get, list and watch; * for everything.',
  }),
  apiGroups: texts('API groups of the resources; "" for the core group, * for all.'),
  resources: texts('Resources such as pods, subresources such as pods/log or */scale, * for all.'),
  resourceNames: texts('Names of the objects. Default: all.'),
  nonResourceURLs: texts('Paths such as /metrics, with * at the end for all below. Only in a ClusterRole.'),
});

const rules = withDefault(list(ruleSchema, { maxItems: rulesMax, description: 'What is allowed.' }), []);

type Rule = Infer<typeof ruleSchema>;

const subjectSchema = object({
  kind: string({ enum: ['User', 'Group', 'ServiceAccount'], description: 'Kind of the subject.' }),
  apiGroup: optional(string({ description: 'API group of the subject.' })),
  name: string({ minLength: 1, maxLength: 1_024, description: 'Name of the user, group or service account.' }),
  namespace: optional(string({ description: 'Namespace of the service account.' })),
});

const subjects = optional(
  list(subjectSchema, { maxItems: subjectsMax, description: 'Who gets the permissions of the role.' }),
);

const roleReference = <const Kind extends string>(...kinds: readonly Kind[]) =>
  object(
    {
      apiGroup: withDefault(string({ enum: [rbacGroup], description: 'API group of the role.' }), rbacGroup),
      kind: string({ enum: kinds, description: 'Kind of the role.' }),
      name: string({ minLength: 1, maxLength: 253, description: 'Name of the role.' }),
    },
    { description: 'The role. Cannot be changed: delete the binding and create it again.' },
  );

export const Role = defineFieldsKind({
  ...names,
  kind: 'Role',
  plural: 'roles',
  description: 'Permissions in one namespace.',
  fields: object({ rules }),
  validate: ({ rules }) => rules.flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, true)),
});

export const ClusterRole = defineFieldsKind({
  ...names,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  description: 'Permissions everywhere, or in the namespace of a RoleBinding that refers to it.',
  fields: object({
    rules,
    aggregationRule: optional(
      object({
        clusterRoleSelectors: optional(
          list(labelSelectorSchema, {
            maxItems: 100,
            description: 'The rules of all ClusterRoles with these labels are added.',
          }),
        ),
      }),
    ),
  }),
  validate: ({ rules, aggregationRule }) => [
    ...rules.flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, false)),
    ...(aggregationRule?.clusterRoleSelectors ?? []).flatMap((selector, index) =>
      validateLabelSelector(selector, `aggregationRule.clusterRoleSelectors[${index}]`),
    ),
  ],
});

interface BindingFields {
  readonly subjects?: readonly Infer<typeof subjectSchema>[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

const bindingColumns = [
  { name: 'ROLE', value: ({ roleRef }: BindingFields) => `${roleRef.kind}/${roleRef.name}` },
  { name: 'USERS', wide: true, value: (fields: BindingFields) => namesOf(fields, 'User') },
  { name: 'GROUPS', wide: true, value: (fields: BindingFields) => namesOf(fields, 'Group') },
  { name: 'SERVICEACCOUNTS', wide: true, value: (fields: BindingFields) => namesOf(fields, 'ServiceAccount') },
];

export const RoleBinding = defineFieldsKind({
  ...names,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  description: 'Gives the permissions of a role to users and groups, in one namespace.',
  fields: object({ subjects, roleRef: roleReference('Role', 'ClusterRole') }),
  validate: (fields, old) => bindingErrors(fields, old, true),
  columns: bindingColumns,
});

export const ClusterRoleBinding = defineFieldsKind({
  ...names,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  description: 'Gives the permissions of a ClusterRole to users and groups, everywhere.',
  fields: object({ subjects, roleRef: roleReference('ClusterRole') }),
  validate: (fields, old) => bindingErrors(fields, old, false),
  columns: bindingColumns,
});

function ruleErrors(rule: Rule, path: string, isNamespaced: boolean): FieldError[] {
  const { apiGroups = [], resources = [], nonResourceURLs = [] } = rule;
  const invalid = (field: string, message: string): FieldError[] => [
    { path: `${path}.${field}`, type: 'Invalid value', message },
  ];
  const required = (field: string, message: string): FieldError[] => [
    { path: `${path}.${field}`, type: 'Required value', message },
  ];
  if (nonResourceURLs.length > 0) {
    if (isNamespaced) return invalid('nonResourceURLs', 'namespaced rules cannot apply to non-resource URLs');
    const isMixed = apiGroups.length > 0 || resources.length > 0 || (rule.resourceNames ?? []).length > 0;
    return isMixed
      ? invalid('nonResourceURLs', 'rules cannot apply to both regular resources and non-resource URLs')
      : [];
  }
  return [
    ...(apiGroups.length === 0 ? required('apiGroups', 'resource rules must supply at least one api group') : []),
    ...(resources.length === 0 ? required('resources', 'resource rules must supply at least one resource') : []),
  ];
}

function bindingErrors(fields: BindingFields, old: BindingFields | undefined, isNamespaced: boolean): FieldError[] {
  const errors = (fields.subjects ?? []).flatMap(({ kind, apiGroup, namespace = '' }, index): FieldError[] => {
    const path = `subjects[${index}]`;
    const group = kind === 'ServiceAccount' ? '' : rbacGroup;
    if (apiGroup !== undefined && apiGroup !== group) {
      return [
        { path: `${path}.apiGroup`, type: 'Unsupported value', message: `"${apiGroup}": supported values: "${group}"` },
      ];
    }
    const needsNamespace = kind === 'ServiceAccount' && !isNamespaced;
    return needsNamespace && namespace === ''
      ? [{ path: `${path}.namespace`, type: 'Required value', message: 'of the service account' }]
      : [];
  });
  const hasChanged = old && (old.roleRef.kind !== fields.roleRef.kind || old.roleRef.name !== fields.roleRef.name);
  return hasChanged
    ? [...errors, { path: 'roleRef', type: 'Invalid value', message: 'cannot change roleRef' }]
    : errors;
}

function namesOf({ subjects = [] }: BindingFields, kind: string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === 'ServiceAccount' && namespace ? `${namespace}/${name}` : name))
    .join(', ');
}
