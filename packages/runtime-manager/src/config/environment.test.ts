import type { ConfigMap, EnvVar, ResourceFieldSelector, Secret } from '@rxlet/kube-api';
import { testPod, type TestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { bytesOfText } from './byte-text.ts';
import { containerEnvironment, type EnvironmentInput } from './environment.ts';

const node = {
  hostIps: ['192.0.2.1', '2001:db8::1'],
  primaryNodeIp: '192.0.2.1',
  allocatable: { cpu: '3500m', memory: '1000Mi', 'ephemeral-storage': '10Gi' },
};

async function environmentOf(
  env: readonly EnvVar[],
  pod: TestPod = {},
  input: Partial<EnvironmentInput> = {},
): Promise<Record<string, string>> {
  const [first = {}, ...others] = pod.containers ?? [];
  const given = testPod({ ...pod, containers: [{ ...first, env }, ...others] });
  const container = given.spec!.containers[0]!;
  return Object.fromEntries(await containerEnvironment({ ...node, podIps: [], pod: given, container, ...input }));
}

const field = (fieldPath: string): EnvVar => ({ name: 'X', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
const resource = (resourceFieldRef: ResourceFieldSelector): EnvVar => ({ name: 'X', valueFrom: { resourceFieldRef } });

/** Objects of the pod's namespace by name. */
function objects(configMaps: Record<string, ConfigMap>, secrets: Record<string, Secret> = {}) {
  return {
    configMap: async (_: unknown, name: string) => configMaps[name],
    secret: async (_: unknown, name: string) => secrets[name],
  };
}

describe('containerEnvironment', () => {
  it('expands references to earlier variables, and uses the last of equal names', async () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '$(A)-$(C)-$$(A)' },
      { name: 'A', value: '2' },
      { name: 'C', value: '$(A)' },
      { name: 'E' },
    ];
    expect(await environmentOf(env)).toEqual({ A: '2', B: '1-$(C)-$(A)', C: '2', E: '' });
  });

  it('rejects variables that are more than a runtime takes: few of them, each with two references to the one before', async () => {
    const env = [{ name: 'A0', value: 'x'.repeat(1024) }];
    for (let index = 1; index <= 30; index += 1)
      env.push({ name: `A${String(index)}`, value: `$(A${String(index - 1)})`.repeat(2) });
    await expect(environmentOf(env.slice(0, 13))).resolves.toMatchObject({ A12: 'x'.repeat(2 ** 22) });
    const error = {
      name: 'ConfigError',
      message: 'the environment has more than 16777216 characters',
    };
    await expect(environmentOf(env)).rejects.toMatchObject(error);
    const many = Array.from({ length: 10 }, (_, index) => ({ name: `B${String(index)}`, value: '$(A12)' }));
    await expect(environmentOf([...env.slice(0, 13), ...many])).rejects.toMatchObject(error);
    const configMaps = { big: { data: { key: 'x'.repeat(2 ** 20) } } };
    const repeated = Array.from({ length: 17 }, (_, index) => ({
      name: `C${String(index)}`,
      valueFrom: { configMapKeyRef: { name: 'big', key: 'key' } },
    }));
    await expect(environmentOf(repeated, {}, { objects: objects(configMaps) })).rejects.toMatchObject(error);
  });

  it('reads fields of the pod', async () => {
    const pod: TestPod = {
      labels: { 'app/x': 'web', b: 'q"' },
      annotations: { note: 'hi \u001b' },
      spec: { nodeName: 'n1', serviceAccountName: 'sa' },
    };
    const value = async (path: string, podIps: string[] = []): Promise<string | undefined> =>
      (await environmentOf([field(path)], pod, { podIps }))['X'];
    expect(await value('metadata.name')).toBe('web');
    expect(await value('metadata.namespace')).toBe('default');
    expect(await value('metadata.uid')).toBe('uid-web');
    expect(await value("metadata.labels['app/x']")).toBe('web');
    expect(await value("metadata.annotations['none']")).toBe('');
    expect(await value("metadata.labels['toString']")).toBe('');
    expect(await value('metadata.labels')).toBe('app/x="web"\nb="q\\""');
    expect(await value('metadata.annotations')).toBe(String.raw`note="hi \x1b"`);
    expect(await value('spec.nodeName')).toBe('n1');
    expect(await value('spec.serviceAccountName')).toBe('sa');
    expect(await value('status.hostIP')).toBe('192.0.2.1');
    expect(await value('status.hostIPs')).toBe('192.0.2.1,2001:db8::1');
    expect(await value('status.podIP', ['fd00::7', '10.0.0.7'])).toBe('10.0.0.7');
    expect(await value('status.podIPs', ['fd00::7', '10.0.0.7'])).toBe('10.0.0.7,fd00::7');
  });

  it.each([
    ['spec.nonsense', 'field label not supported: spec.nonsense'],
    ['status.phase', 'unsupported fieldPath: status.phase'],
    ["spec.x['a']", "field label does not support subscript: spec.x['a']"],
    ["metadata.labels['']", "invalid key subscript in metadata.labels['']: name part must be non-empty;name part must"],
  ])('has no value for the field %s', async (path, message) => {
    await expect(environmentOf([field(path)])).rejects.toThrow(message);
  });

  it('divides resources and rounds them up, with the node as default for missing limits', async () => {
    const pod: TestPod = {
      containers: [{ resources: { requests: { cpu: '250m', memory: '100Mi' }, limits: { cpu: '1500m' } } }],
      initContainers: [{ name: 'init' }],
    };
    const value = async (ref: ResourceFieldSelector): Promise<string | undefined> =>
      (await environmentOf([resource(ref)], pod))['X'];
    expect(await value({ resource: 'requests.cpu' })).toBe('1');
    expect(await value({ resource: 'requests.cpu', divisor: '1m' })).toBe('250');
    expect(await value({ resource: 'limits.cpu' })).toBe('2');
    expect(await value({ resource: 'requests.memory', divisor: '1Mi' })).toBe('100');
    expect(await value({ resource: 'limits.memory', divisor: '1Mi' })).toBe('1000');
    expect(await value({ resource: 'limits.ephemeral-storage', divisor: '1Gi' })).toBe('10');
    expect(await value({ resource: 'requests.ephemeral-storage' })).toBe('0');
    expect(await value({ resource: 'limits.memory', containerName: 'init' })).toBe('0');
    await expect(value({ resource: 'limits.fun' })).rejects.toThrow('unsupported container resource : limits.fun');
    await expect(value({ resource: 'limits.cpu', containerName: 'who' })).rejects.toThrow('container who not found');
  });

  it.each([
    [
      { configMapKeyRef: { name: 'm', key: 'k', optional: true } },
      "couldn't get configMap default/m, no kubeClient defined",
    ],
    [{ secretKeyRef: { name: 's', key: 'k' } }, "couldn't get secret default/s, no kubeClient defined"],
    [{ fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } }, 'cannot find the volume "v" referenced by FileKeyRef'],
  ])('has no value for %o without an API server', async (valueFrom, message) => {
    await expect(environmentOf([{ name: 'X', valueFrom }])).rejects.toMatchObject({
      reason: 'CreateContainerConfigError',
      message,
    });
  });

  it('takes whole ConfigMaps and Secrets with a prefix, and single keys of them', async () => {
    const secret = (text: string): Secret => ({ data: { b: Buffer.from(text).toString('base64') } });
    const given = { objects: objects({ m: { data: { a: '1', x: 'from' } } }, { s: secret('zwei') }) };
    const envFrom = [
      { configMapRef: { name: 'm' } },
      { prefix: 'S_', secretRef: { name: 's' } },
      { secretRef: { name: 'none', optional: true } },
    ];
    const env = [
      { name: 'k', valueFrom: { configMapKeyRef: { name: 'm', key: 'a' } } },
      { name: 'x', valueFrom: { configMapKeyRef: { name: 'm', key: 'none', optional: true } } },
      { name: 'y', value: '$(S_b)' },
    ];
    expect(await environmentOf(env, { containers: [{ envFrom }] }, given)).toEqual({
      a: '1',
      x: 'from',
      S_b: 'zwei',
      k: '1',
      y: 'zwei',
    });
    const missing = [{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'none' } } }];
    await expect(environmentOf(missing, {}, given)).rejects.toThrow("couldn't find key none in Secret default/s");
    const unknown = [{ name: 'X', valueFrom: { secretKeyRef: { name: 't', key: 'k' } } }];
    await expect(environmentOf(unknown, {}, given)).rejects.toThrow('secret "t" not found');
  });

  it('keeps the bytes of a Secret that are no UTF-8', async () => {
    const bytes = Uint8Array.from([0x61, 0xff, 0x00, 0x62]);
    const given = { objects: objects({}, { s: { data: { k: Buffer.from(bytes).toString('base64') } } }) };
    const env = [
      { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'B', value: '<$(A)>' },
    ];
    const { A, B } = await environmentOf(env, {}, given);
    expect(bytesOfText(A!)).toEqual(bytes);
    expect(bytesOfText(B!)).toEqual(Uint8Array.from([0x3c, ...bytes, 0x3e]));
  });

  it('waits until the services of the cluster are known, except for static pods', async () => {
    const known = {
      metadata: { name: 'db', namespace: 'default' },
      spec: { clusterIP: '10.96.0.9', ports: [{ port: 5432 }] },
    };
    const services = { isSynced: false, list: () => [known] };
    await expect(environmentOf([], {}, { services })).rejects.toThrow('services have not yet been read at least once');
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(await environmentOf([], { annotations }, { services })).toMatchObject({ DB_SERVICE_HOST: '10.96.0.9' });
  });

  it('reads keys of files in volumes, and quotes none of a file that is invalid', async () => {
    const envFiles = (text: string) => ({
      read: async () => ({ path: '/v/env', bytes: new TextEncoder().encode(text) }),
    });
    const ref = (optional: boolean): EnvVar[] => [
      { name: 'X', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'env', key: 'K', optional } } },
    ];
    const text = "# c\n A='1'\nK='two\nlines' # end\nbroken";
    expect(await environmentOf(ref(false), {}, { envFiles: envFiles(text) })).toEqual({ X: 'two\nlines' });
    expect(await environmentOf(ref(true), {}, { envFiles: envFiles("A='1'") })).toEqual({});
    await expect(environmentOf(ref(false), {}, { envFiles: envFiles("A='1'") })).rejects.toThrow(
      'environment variable key "K" not found in file "/v/env"',
    );
    await expect(environmentOf(ref(true), {}, { envFiles: envFiles('secret') })).rejects.toThrow(
      /^couldn't parse env file$/,
    );
  });
});
