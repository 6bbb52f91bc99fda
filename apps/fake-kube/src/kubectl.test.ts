import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';

const KUBECTL = process.env['RXLET_TEST_KUBECTL'] ?? 'kubectl';
const OBJECTS = `
apiVersion: v1
kind: Node
metadata: {name: node1}
status: {conditions: [{type: Ready, status: 'True'}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {color: blue}
`;
const EXTRA = `
apiVersion: v1
kind: Namespace
metadata: {name: extra}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: extra}
`;
const POD = (image: string): string => `
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: main, image: '${image}'}]}
`;

function hasKubectl(): boolean {
  try {
    execFileSync(KUBECTL, ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isInstalled = hasKubectl();

describe.skipIf(isInstalled)('kubectl', () => {
  it.skip('is not tested, because it is not installed', () => undefined);
});

describe.runIf(isInstalled)('kubectl', () => {
  const stop = new AbortController();
  let folder: string;
  let server: Promise<number>;
  const kubectl = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, HOME: folder, KUBECONFIG: join(folder, 'config') };
    return (await promisify(execFile)(KUBECTL, args, { env })).stdout;
  };
  const applied = async (image: string): Promise<string> => {
    await writeFile(join(folder, 'pod.yaml'), POD(image));
    return kubectl('apply', '-f', join(folder, 'pod.yaml'));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fake-kube-'));
    await writeFile(join(folder, 'objects.yaml'), OBJECTS);
    const { promise, resolve } = Promise.withResolvers<void>();
    const args = [
      '--listen',
      '127.0.0.1:0',
      '--kubeconfig',
      join(folder, 'config'),
      '--objects',
      join(folder, 'objects.yaml'),
    ];
    server = run(args, { stdout: () => resolve(), stderr: (text) => process.stderr.write(text), signal: stop.signal });
    await promise;
  });
  afterAll(async () => {
    stop.abort();
    await server;
    await rm(folder, { recursive: true });
  });

  it('reads objects by their short names', async () => {
    expect(await kubectl('get', 'no', '-o', 'name')).toBe('node/node1\n');
    expect(await kubectl('get', 'cm', 'settings', '-o', 'jsonpath={.data.color}')).toBe('blue');
    expect(await kubectl('get', 'ns')).toMatch(/kube-node-lease/);
    expect(await kubectl('version')).toContain('v1.36.2');
    expect(await kubectl('describe', 'node', 'node1')).toMatch(/Ready +True/);
  });

  it('applies, changes and deletes a pod', async () => {
    expect(await applied('nginx:1')).toBe('pod/web created\n');
    expect(await applied('nginx:1')).toBe('pod/web unchanged\n');
    expect(await applied('nginx:2')).toBe('pod/web configured\n');
    await kubectl('label', 'pod', 'web', 'tier=front');
    const columns = 'custom-columns=I:.spec.containers[0].image,L:.metadata.labels.tier,P:.status.phase';
    expect(await kubectl('get', 'pods', '-l', 'app=web,tier=front', '--no-headers', '-o', columns)).toMatch(
      /^nginx:2 +front +Pending\n$/,
    );
    expect(await kubectl('describe', 'pod', 'web')).toContain('nginx:2');
    await kubectl('delete', 'pod', 'web', '--wait=true');
    expect(await kubectl('get', 'pods', '-o', 'name')).toBe('');
  });

  it('shows the columns of a kind', async () => {
    expect((await kubectl('get', 'nodes')).split('\n')[0]).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION$/);
    expect(await kubectl('get', 'cm', 'settings')).toMatch(/\nsettings +1 +\d+s\n$/);
  });

  it('creates objects from its command line', async () => {
    await kubectl('create', 'namespace', 'shop');
    await kubectl('create', '-n', 'shop', 'secret', 'generic', 'key', '--from-literal=a=b');
    await kubectl('create', '-n', 'shop', 'service', 'clusterip', 'front', '--tcp=80:8080');
    expect(await kubectl('get', '-n', 'shop', 'secret', 'key', '-o', 'jsonpath={.data.a} {.type}')).toBe('Yg== Opaque');
    expect(await kubectl('get', '-n', 'shop', 'svc', 'front', '-o', 'jsonpath={.spec.ports[0].targetPort}')).toBe(
      '8080',
    );
    await kubectl('delete', 'namespace', 'shop');
  });

  it('reports fields that do not exist, and explains those that do', async () => {
    await writeFile(join(folder, 'bad.yaml'), POD('nginx').replace('image', 'imag'));
    await expect(kubectl('create', '-f', join(folder, 'bad.yaml'))).rejects.toThrow(/unknown field .*imag/);
    expect(await kubectl('explain', 'pod.spec.nodeName')).toMatch(/nodeName +<string>/);
  });

  it('cordons a node and creates a namespace', async () => {
    await kubectl('cordon', 'node1');
    expect(await kubectl('get', 'node', 'node1', '-o', 'jsonpath={.spec.unschedulable}')).toBe('true');
    await writeFile(join(folder, 'extra.yaml'), EXTRA);
    await kubectl('create', '-f', join(folder, 'extra.yaml'));
    expect(await kubectl('get', 'cm', '-n', 'extra', '-o', 'name')).toBe('configmap/a\n');
    await kubectl('delete', 'namespace', 'extra');
    expect(await kubectl('get', 'ns', '-o', 'name')).not.toContain('extra');
  });

  it('controls the server by raw requests', async () => {
    await writeFile(
      join(folder, 'fault.json'),
      JSON.stringify({
        match: { resource: 'configmaps' },
        times: 1,
        action: { type: 'error', reason: 'Forbidden', message: 'scripted' },
      }),
    );
    await kubectl('create', '--raw', '/fake/faults', '-f', join(folder, 'fault.json'));
    await expect(kubectl('get', 'cm', 'settings')).rejects.toThrow('scripted');
    expect(await kubectl('get', 'cm', 'settings', '-o', 'name')).toBe('configmap/settings\n');
  });
});
