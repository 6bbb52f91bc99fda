import type { Pod } from '@rxlet/kube-api';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createFileSource } from '../file-source.ts';
import { testManifest } from '../test-manifest.ts';
import { createTestFolder, recordProblems } from '../test-support.ts';
import { decodeObject } from './manifest-object.ts';

const secret = (name: string, password: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\nstringData: {password: ${password}}\n`;
const configMap = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: {level: debug}\n`;
const podWithSecret = (name: string, secretName = 's', image = 'app:1'): string =>
  `${testManifest(name, image)}      envFrom: [{secretRef: {name: ${secretName}}}]\n`;

function setUp(documents = true) {
  const clock = createVirtualClock();
  const folder = createTestFolder();
  const lastGoodFile = { files: folder.memory.nodeFiles, path: '/var/lib/static_pods' };
  const source = createFileSource(
    { clock, hostFiles: folder.hostFiles, lastGoodFile },
    { path: '/manifests', nodeName: 'node1', documents },
  );
  let pods: readonly Pod[] = [];
  const { appeared, present } = recordProblems(source.problems$);
  const changes: string[] = [];
  source.snapshots$.subscribe((snapshot) => void (pods = snapshot));
  source.objects.changes$.subscribe((uid) => changes.push(uid));
  return {
    folder,
    source,
    changes,
    appeared,
    present,
    pods: () => pods.map(({ metadata, spec }) => `${metadata!.name!} ${spec!.containers[0]!.image!}`),
    pod: (name: string) => pods.find(({ metadata }) => metadata?.name === `${name}-node1`)!,
    async settle(): Promise<void> {
      await clock.advance(200);
    },
    async turn(): Promise<void> {
      await clock.settle();
    },
    start(): void {
      source.start();
    },
  };
}

describe('ConfigMaps and Secrets of a folder', () => {
  it('serve the pods of the folder, from the same file or from another', async () => {
    const bench = setUp();
    await using source = bench.source;
    bench.folder.write('a.yaml', podWithSecret('one'));
    bench.folder.write('b.yaml', `${secret('s', 'first')}---\n${testManifest('two')}---\n${configMap('c')}`);
    bench.start();
    await bench.settle();
    expect(bench.present()).toEqual([]);
    expect(bench.pods()).toEqual(['one-node1 app:1', 'two-node1 registry.example/app:1']);
    const found = await source.objects.secret(bench.pod('one'), 's');
    expect(found).toMatchObject({ type: 'Opaque', data: { password: Buffer.from('first').toString('base64') } });
    expect(found).not.toHaveProperty('stringData');
    expect((await source.objects.configMap(bench.pod('two'), 'c'))?.data).toEqual({ level: 'debug' });
  });

  it('serve a pod that comes right after them, while another file is read', async () => {
    const bench = setUp();
    await using _ = bench.source;
    bench.start();
    await bench.settle();
    const release = bench.folder.holdRead('a.yaml');
    bench.folder.place('a.yaml', configMap('c'));
    await bench.turn();
    bench.folder.place('b.yaml', secret('s', 'first'));
    release();
    await bench.turn();
    bench.folder.place('c.yaml', podWithSecret('one'));
    await bench.settle();
    expect(bench.pods()).toEqual(['one-node1 app:1']);
    expect(bench.appeared).toEqual([]);
  });

  it('stay hidden from pods of another source or namespace', async () => {
    const bench = setUp();
    await using source = bench.source;
    bench.folder.write(
      'a.yaml',
      `${secret('s', 'x')}---\n${configMap('c', ', namespace: other')}---\n${podWithSecret('one')}`,
    );
    bench.start();
    await bench.settle();
    await expect(source.objects.secret(testPod(), 's')).rejects.toThrow(
      "couldn't get secret default/s, no kubeClient defined",
    );
    await expect(source.objects.configMap(bench.pod('one'), 'c')).rejects.toThrow(
      "couldn't get configMap default/c, no kubeClient defined",
    );
  });

  it('trigger the pods that refer to a changed one, and no others', async () => {
    const bench = setUp();
    await using source = bench.source;
    bench.folder.write('a.yaml', podWithSecret('one'));
    bench.folder.write('b.yaml', testManifest('two'));
    bench.folder.write('s.yaml', `${secret('s', 'first')}---\n${secret('t', 'same')}`);
    bench.start();
    await bench.settle();
    bench.changes.splice(0);
    const { uid } = bench.pod('one').metadata!;
    bench.folder.write('s.yaml', `${secret('s', 'second')}---\n${secret('t', 'same')}# comment\n`);
    await bench.settle();
    expect(bench.changes).toEqual([uid]);
    expect(bench.pod('one').metadata?.uid).toBe(uid);
    const { data } = (await source.objects.secret(bench.pod('one'), 's'))!;
    expect(Buffer.from(data!['password']!, 'base64').toString()).toBe('second');
    bench.folder.write('s.yaml', `# only a comment\n${secret('s', 'second')}---\n${secret('t', 'same')}`);
    await bench.settle();
    expect(bench.changes).toEqual([uid]);
  });

  it('must exist before a pod that refers to them is accepted; until then its last good version is kept', async () => {
    const bench = setUp();
    await using _ = bench.source;
    bench.folder.write('a.yaml', testManifest('one', 'app:1'));
    bench.start();
    await bench.settle();
    bench.folder.write('a.yaml', podWithSecret('one', 'late', 'app:2'));
    bench.folder.write('b.yaml', podWithSecret('two', 'late', 'app:2'));
    await bench.settle();
    expect(bench.pods()).toEqual(['one-node1 app:1']);
    const problem =
      'static pods may not reference secrets; remove the reference, or create the pod through an API server: no manifest of the folder has the Secret default/late';
    expect(bench.present()).toEqual([
      `InvalidManifest: /manifests/a.yaml: ${problem}; the pod of its last good version is kept`,
      `InvalidManifest: /manifests/b.yaml: ${problem}`,
    ]);
    bench.folder.write('c.yaml', secret('late', 'x'));
    await bench.settle();
    expect(bench.pods()).toEqual(['one-node1 app:2', 'two-node1 app:2']);
    expect(bench.present()).toEqual([]);
    bench.folder.remove('c.yaml');
    await bench.settle();
    expect(bench.pods()).toEqual(['one-node1 app:2', 'two-node1 app:2']);
    expect(bench.present()[0]).toContain('the Secret default/late any more; containers that need it cannot be started');
  });

  it('come from the first file that has them', async () => {
    const bench = setUp();
    await using source = bench.source;
    bench.folder.write('a.yaml', `${secret('s', 'first')}---\n${podWithSecret('one')}`);
    bench.folder.write('b.yaml', secret('s', 'second'));
    bench.start();
    await bench.settle();
    expect(bench.present()).toEqual([
      'DuplicateObject: /manifests/b.yaml: Secret default/s is also in /manifests/a.yaml, which counts; remove one of them',
    ]);
    const { data } = (await source.objects.secret(bench.pod('one'), 's'))!;
    expect(Buffer.from(data!['password']!, 'base64').toString()).toBe('first');
  });

  it('keep their last good version, and never appear with their data in a message', async () => {
    const bench = setUp();
    await using source = bench.source;
    bench.folder.write('a.yaml', `${secret('s', 'first')}---\n${podWithSecret('one')}`);
    bench.start();
    await bench.settle();
    bench.folder.write('a.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {password: hunter2!}\n');
    await bench.settle();
    expect(bench.present()[0]).toContain('not a valid Secret: data[password]: has a value of another type');
    expect(bench.present().join()).not.toContain('hunter2');
    expect(await source.objects.secret(bench.pod('one'), 's')).toBeDefined();
  });

  it.each([
    [
      `${testManifest('a')}---\n${testManifest('b')}`,
      'holds 2 YAML documents besides ConfigMaps and Secrets; a manifest has one Pod',
    ],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: a}', 'holds a v1 Service; expected a v1 Pod'],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ../a}', 'invalid ConfigMap: metadata.name'],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {../x: text}', 'invalid ConfigMap: data[../x]'],
    [`${testManifest('a')}  serviceAccountName: sa\n`, 'static pods may not reference serviceaccounts'],
  ])('fail to load with the cause: %#', async (text, problem) => {
    const bench = setUp();
    await using _ = bench.source;
    bench.folder.write('a.yaml', text);
    bench.start();
    await bench.settle();
    expect(bench.present().join()).toContain(problem);
    expect(bench.pods()).toEqual([]);
  });

  it('fail to load with more data than an API server stores', () => {
    const object = (bytes: number) => ({ metadata: { name: 'a' }, data: { x: 'y'.repeat(bytes) } });
    expect(() => decodeObject(object(1024 ** 2), 'ConfigMap', '/m/a')).not.toThrow();
    expect(() => decodeObject(object(1024 ** 2 + 1), 'ConfigMap', '/m/a')).toThrow('data: must have at most 1048576');
  });

  it('fail to load, as do references to them, unless the source permits them', async () => {
    const bench = setUp(false);
    await using _ = bench.source;
    bench.folder.write('a.yaml', podWithSecret('one'));
    bench.folder.write('b.yaml', secret('s', 'x'));
    bench.folder.write('c.yaml', `${testManifest('two')}---\n${secret('s', 'x')}`);
    bench.start();
    await bench.settle();
    expect(bench.pods()).toEqual([]);
    expect(bench.present().map((problem) => problem.slice(0, 90))).toEqual([
      expect.stringContaining('a.yaml: static pods may not reference secrets'),
      expect.stringContaining('b.yaml: holds a v1 Secret; expected a v1 Pod'),
      expect.stringContaining('c.yaml: holds 2 YAML documents; a manifest is one Pod'),
    ]);
  });
});
