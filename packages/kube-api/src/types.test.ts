import { describe, expect, expectTypeOf, it } from 'vitest';
import * as api from './index.ts';
import type {
  AuthenticationV1TokenRequest,
  Container,
  ContainerStatus,
  FieldsV1,
  HTTPGetAction,
  Lease,
  LeaseSpec,
  Mutable,
  ObjectMeta,
  Pod,
  PodPhase,
  PodSpec,
  Quantity,
  ResourceClaim,
  ResourceV1ResourceClaim,
  Secret,
  StorageV1TokenRequest,
  WatchEvent,
} from './index.ts';
import { fieldOf, tables } from './tables.ts';
import type { TypeName, ValueTable } from './tables.ts';

/** The optional keys of T. */
type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type RequiredKeys<T> = Exclude<keyof T, OptionalKeys<T>>;

// Checked by the compiler: a wrong expectation below fails the type check of the tests, not their run.
describe('types', () => {
  it('require exactly the required fields of the schema', () => {
    expectTypeOf<RequiredKeys<PodSpec>>().toEqualTypeOf<'containers'>();
    expectTypeOf<RequiredKeys<Container>>().toEqualTypeOf<'name'>();
    expectTypeOf<RequiredKeys<ContainerStatus>>().toEqualTypeOf<
      'image' | 'imageID' | 'name' | 'ready' | 'restartCount'
    >();
    expectTypeOf<RequiredKeys<Pod>>().toEqualTypeOf<never>();
  });

  it('spell values as JSON does', () => {
    expectTypeOf<ObjectMeta['creationTimestamp']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<LeaseSpec['renewTime']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<HTTPGetAction['port']>().toEqualTypeOf<number | string>();
    expectTypeOf<Quantity>().toEqualTypeOf<string | number>();
    expectTypeOf<PodSpec['terminationGracePeriodSeconds']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<PodSpec['overhead']>().toEqualTypeOf<Readonly<Record<string, Quantity>> | undefined>();
    expectTypeOf<Secret['data']>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
    expectTypeOf<FieldsV1>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf<WatchEvent['object']>().toEqualTypeOf<unknown>();
  });

  it('narrow enums', () => {
    expectTypeOf<PodPhase>().toEqualTypeOf<'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'>();
    expectTypeOf<PodSpec['restartPolicy']>().toEqualTypeOf<'Always' | 'Never' | 'OnFailure' | undefined>();
    expectTypeOf<Container['imagePullPolicy']>().toEqualTypeOf<'Always' | 'IfNotPresent' | 'Never' | undefined>();
  });

  it('keep the names of core/v1 and prefix those of other groups where they clash', () => {
    expectTypeOf<ResourceClaim>().toEqualTypeOf<{ readonly name: string; readonly request?: string }>();
    expectTypeOf<ResourceV1ResourceClaim>().toHaveProperty('spec');
    expectTypeOf<AuthenticationV1TokenRequest>().toHaveProperty('status');
    expectTypeOf<RequiredKeys<StorageV1TokenRequest>>().toEqualTypeOf<'audience'>();
    expectTypeOf<Lease['spec']>().toEqualTypeOf<LeaseSpec | undefined>();
  });

  it('forbid writes unless made mutable', () => {
    const status: Mutable<ContainerStatus> = { name: 'a', image: 'b', imageID: '', ready: false, restartCount: 0 };
    status.restartCount += 1;
    status.resources = { limits: {} };
    status.resources.limits = { cpu: '1' };
    status.volumeMounts = [];
    status.volumeMounts.push({ name: 'data', mountPath: '/data' });
    expectTypeOf(status).toExtend<ContainerStatus>();
    expectTypeOf<PodSpec['containers']>().toEqualTypeOf<readonly Container[]>();
    expect(status).toMatchObject({ restartCount: 1, resources: { limits: { cpu: '1' } } });

    const shared: ContainerStatus = status;
    // @ts-expect-error: returned objects are shared.
    const assign = (): number => (shared.restartCount = 2);
    expect(assign).toBeTypeOf('function');
  });

  it('agree with the tables about a pod', () => {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', labels: { app: 'web' }, creationTimestamp: '2026-01-02T15:04:05Z' },
      spec: {
        restartPolicy: 'OnFailure',
        initContainers: [{ name: 'wait', image: 'busybox', restartPolicy: 'Always' }],
        containers: [
          {
            name: 'web',
            env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            livenessProbe: { httpGet: { port: 'http', scheme: 'HTTPS' }, periodSeconds: 5 },
            resources: { requests: { cpu: 0.5, memory: '64Mi' } },
            volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
          },
        ],
        volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    };
    expect(mismatches('Pod', { type: 'object-ref', ref: 'io.k8s.api.core.v1.Pod' }, pod)).toEqual([]);
    const changed = { ...pod, spec: { ...pod.spec, priority: '1', replicas: 2 } };
    expect(mismatches('Pod', { type: 'object-ref', ref: 'io.k8s.api.core.v1.Pod' }, changed)).toEqual([
      'Pod.spec.priority',
      'Pod.spec.replicas',
    ]);
  });

  it('cost nothing at run time', () => {
    expect(Object.keys(api)).toEqual([]);
  });
});

/** Returns the paths at which a value contradicts its table. */
function mismatches(path: string, table: ValueTable | undefined, value: unknown): readonly string[] {
  switch (table?.type) {
    case 'object-ref':
      return entriesOf(value).flatMap(([key, item]) =>
        mismatches(`${path}.${key}`, fieldOf(tables[table.ref satisfies TypeName], key), item),
      );
    case 'map':
      return entriesOf(value).flatMap(([key, item]) => mismatches(`${path}.${key}`, table.items, item));
    case 'array':
      return (value as readonly unknown[]).flatMap((item, i) => mismatches(`${path}[${i}]`, table.items, item));
    case 'string':
      return typeof value === 'string' && (table.enum?.includes(value) ?? true) ? [] : [path];
    case 'date-time':
      return typeof value === 'string' ? [] : [path];
    case 'quantity':
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number' ? [] : [path];
    case 'integer':
      return Number.isInteger(value) ? [] : [path];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [path];
    default:
      return [path];
  }
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return Object.entries(value as Readonly<Record<string, unknown>>);
}
