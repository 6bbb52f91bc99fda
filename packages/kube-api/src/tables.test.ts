import { describe, expect, it } from 'vitest';
import { fieldOf, findTable, findTypeName, tables } from './tables.ts';
import type { FieldTable, ObjectTable, TypeName, ValueTable } from './tables.ts';

describe('the tables of a pod', () => {
  const spec = tables['io.k8s.api.core.v1.PodSpec'].fields;
  const container = tables['io.k8s.api.core.v1.Container'].fields;

  it('lead from the pod to its parts', () => {
    const { kinds, fields } = tables['io.k8s.api.core.v1.Pod'];
    expect(kinds).toEqual([{ apiVersion: 'v1', kind: 'Pod' }]);
    expect(fields).toEqual({
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodStatus' },
    });
  });

  it('define which fields are required', () => {
    expect(requiredOf('io.k8s.api.core.v1.PodSpec')).toEqual(['containers']);
    expect(requiredOf('io.k8s.api.core.v1.Container')).toEqual(['name']);
    expect(requiredOf('io.k8s.api.core.v1.ContainerPort')).toEqual(['containerPort']);
    expect(requiredOf('io.k8s.api.core.v1.VolumeMount')).toEqual(['mountPath', 'name']);
    expect(requiredOf('io.k8s.api.core.v1.ContainerStatus')).toEqual([
      'image',
      'imageID',
      'name',
      'ready',
      'restartCount',
    ]);
  });

  it('list the values of enums, in single fields and in lists', () => {
    expect(spec['restartPolicy']).toEqual({ type: 'string', enum: ['Always', 'Never', 'OnFailure'] });
    expect(container['imagePullPolicy']).toEqual({ type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] });
    expect(tables['io.k8s.api.core.v1.PersistentVolumeClaimSpec'].fields['accessModes']).toMatchObject({
      type: 'array',
      items: { type: 'string', enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] },
    });
    expect(tables['io.k8s.api.core.v1.Lifecycle'].fields['stopSignal']).toMatchObject({
      enum: expect.arrayContaining(['SIGTERM', 'SIGRTMIN+15']) as string[],
    });
  });

  it('give the range of integers and the format of strings', () => {
    expect(spec['terminationGracePeriodSeconds']).toEqual({ type: 'integer', format: 'int64' });
    expect(tables['io.k8s.api.core.v1.Probe'].fields['periodSeconds']).toEqual({ type: 'integer', format: 'int32' });
    expect(tables['io.k8s.api.core.v1.Secret'].fields['data']).toEqual({
      type: 'map',
      items: { type: 'string', format: 'byte' },
    });
  });

  it('resolve the names for values', () => {
    expect(spec['overhead']).toEqual({ type: 'map', items: { type: 'quantity' } });
    expect(tables['io.k8s.api.core.v1.HTTPGetAction'].fields['port']).toEqual({
      type: 'int-or-string',
      required: true,
    });
    expect(tables['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'].fields['creationTimestamp']).toEqual({
      type: 'date-time',
    });
    expect(tables['io.k8s.api.coordination.v1.LeaseSpec'].fields['renewTime']).toEqual({
      type: 'date-time',
      format: 'micro-time',
    });
    expect(tables['io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent'].fields['object']).toEqual({
      type: 'any',
      required: true,
    });
  });

  it('define how lists merge', () => {
    expect(spec['containers']).toEqual({
      type: 'array',
      items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Container' },
      required: true,
      listType: 'map',
      listMapKeys: ['name'],
      patchStrategies: ['merge'],
      patchMergeKey: 'name',
    });
    expect(spec['volumes']).toMatchObject({ patchStrategies: ['merge', 'retainKeys'], patchMergeKey: 'name' });
    expect(container['ports']).toMatchObject({
      listMapKeys: ['containerPort', 'protocol'],
      patchMergeKey: 'containerPort',
    });
    expect(container['args']).toEqual({ type: 'array', items: { type: 'string' } });
    expect(tables['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'].fields['finalizers']).toEqual({
      type: 'array',
      items: { type: 'string' },
      listType: 'set',
      patchStrategies: ['merge'],
    });
  });

  it('carry the defaults of the schema, except {}', () => {
    const port = tables['io.k8s.api.core.v1.ContainerPort'].fields;
    expect(port['protocol']?.default).toBe('TCP');
    expect(port['containerPort']?.default).toBe(0);
    expect(tables['io.k8s.api.core.v1.Pod'].fields['spec']).not.toHaveProperty('default');
  });
});

describe('all tables', () => {
  const places = (Object.entries(tables) as [TypeName, ObjectTable][]).flatMap(([name, table]) =>
    Object.entries(table.fields).map(([field, value]) => ({ name, field, value, inner: innermost(value) })),
  );

  it('refer to tables that exist', () => {
    const references = places.flatMap(({ inner }) => (inner.type === 'object-ref' ? [inner.ref] : []));
    expect(references.length).toBeGreaterThan(200);
    expect(references.filter((ref) => !Object.hasOwn(tables, ref))).toEqual([]);
  });

  it('declare merge keys and map keys that are scalar fields of the items', () => {
    const keys = places.flatMap(({ name, field, value, inner }) => {
      if (value.type !== 'array' || inner.type !== 'object-ref') return [];
      const used = [...(value.listMapKeys ?? []), ...(value.patchMergeKey === undefined ? [] : [value.patchMergeKey])];
      return used.map((key) => ({ at: `${name}.${field}: ${key}`, type: fieldOf(tables[inner.ref], key)?.type }));
    });
    expect(keys.length).toBeGreaterThan(50);
    expect(keys.filter(({ type }) => type !== 'string' && type !== 'integer')).toEqual([]);
  });

  it('declare defaults of the type and enum of the field', () => {
    const wrong = places.filter(({ value }) => {
      if (value.default === undefined) return false;
      const isNumber = value.type === 'integer' || value.type === 'number';
      if (value.type !== 'date-time' && typeof value.default !== (isNumber ? 'number' : value.type)) return true;
      // The zero value of a required enum is no valid value of it.
      if (value.type !== 'string' || value.enum === undefined || value.required === true) return false;
      return !value.enum.includes(String(value.default));
    });
    expect(wrong.map(({ name, field }) => `${name}.${field}`)).toEqual([]);
  });
});

describe('findTable', () => {
  it('finds a kind in the core group and in others', () => {
    expect(findTable('v1', 'Pod')).toBe(tables['io.k8s.api.core.v1.Pod']);
    expect(findTable('coordination.k8s.io/v1', 'Lease')).toBe(tables['io.k8s.api.coordination.v1.Lease']);
    expect(findTypeName('resource.k8s.io/v1', 'ResourceClaim')).toBe('io.k8s.api.resource.v1.ResourceClaim');
  });

  it('finds a kind that several groups share', () => {
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent';
    expect(findTypeName('v1', 'WatchEvent')).toBe(name);
    expect(findTypeName('resource.k8s.io/v1', 'WatchEvent')).toBe(name);
  });

  it.each([
    ['v1', 'pod'],
    ['v2', 'Pod'],
    ['', 'Pod'],
    ['v1', 'PodSpec'],
    ['apps/v1', 'Deployment'],
  ])('finds nothing for %j %j', (apiVersion, kind) => {
    expect(findTypeName(apiVersion, kind)).toBeUndefined();
    expect(findTable(apiVersion, kind)).toBeUndefined();
  });
});

describe('fieldOf', () => {
  const pod = tables['io.k8s.api.core.v1.Pod'];

  it('finds a field', () => {
    expect(fieldOf(pod, 'kind')).toEqual({ type: 'string' });
  });

  it.each(['Kind', '', 'constructor', 'toString', '__proto__'])('finds nothing for %j', (name) => {
    expect(fieldOf(pod, name)).toBeUndefined();
  });
});

function requiredOf(name: TypeName): readonly string[] {
  const fields: readonly [string, FieldTable][] = Object.entries(tables[name].fields);
  return fields.filter(([, field]) => field.required === true).map(([field]) => field);
}

function innermost(value: ValueTable): ValueTable {
  return value.type === 'array' || value.type === 'map' ? innermost(value.items) : value;
}
