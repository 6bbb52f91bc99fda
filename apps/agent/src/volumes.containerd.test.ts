import { execFile } from 'node:child_process';
import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Agent, createAgent } from '@rxlet/agent';
import { type AgentModule, provide } from '@rxlet/agent-api';
import { podObjects } from '@rxlet/agent-api/kube';
import { persistentVolumes } from '@rxlet/agent-api/volumes';
import { createEmitter } from '@rxlet/component-base/streams';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import { ContainerState } from '@rxlet/cri-api';
import { csi, type CsiObjects } from '@rxlet/csi';
import { createDiskMounts, createTestDriver } from '@rxlet/csi/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import type { ConfigMap, PersistentVolumeSpec, Pod, PodSpec, Secret } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestNode, hasRunningPods, mountsBelow, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const DRIVER = 'csi.example.com';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describeOnEachRuntime('volumes of pods', {}, (startNode) => {
  let node: TestNode;
  let root: string;
  let agent: Agent | undefined;
  let source = createManualSource('file');
  let desired: readonly Pod[] = [];
  const configMaps = new Map<string, ConfigMap>();
  const secrets = new Map<string, Secret>();
  /** Persistent volumes by the names of their claims. */
  const claimed = new Map<string, PersistentVolumeSpec>();
  const changes = createEmitter<string>();

  const objects = (): AgentModule => ({
    name: 'objects',
    provides: [podObjects, persistentVolumes],
    setup: () => ({
      services: [
        provide(podObjects, {
          configMap: async (_pod, name) => configMaps.get(name),
          secret: async (_pod, name) => secrets.get(name),
          changes$: changes.values$,
        }),
        provide(persistentVolumes, {
          claim: async (_namespace, name) => ({
            metadata: { name, uid: `uid-${name}` },
            spec: { volumeName: name },
            status: { phase: 'Bound' },
          }),
          volume: async (name) => ({
            metadata: { name },
            spec: { accessModes: ['ReadWriteOnce'], claimRef: { uid: `uid-${name}` }, ...claimed.get(name) },
          }),
        }),
      ],
    }),
  });
  const csiObjects: CsiObjects = {
    driver: async () => ({
      spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
    }),
    secret: async () => undefined,
    attachment: async () => Promise.reject(new Error('there is none')),
  };
  const startAgent = async (): Promise<void> => {
    source = createManualSource('file');
    const { runtime, images } = node.cri;
    agent = await createAgent(
      {
        runtime,
        images,
        node: {
          ...(await readNodeFacts()),
          name: 'node1',
          rootDirectory: root,
          podLogsDirectory: join(node.folder, 'logs'),
        },
      },
      [podsFrom(source), objects(), ...standalone([csi({ objects: csiObjects })])],
    );
    await agent.start();
    source.set(desired);
  };
  const desire = (...pods: Pod[]): void => {
    desired = pods;
    source.set(pods);
  };
  const waitFor = <T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, probe, () => JSON.stringify(agent?.events.list().map(({ reason, message }) => [reason, message])));

  beforeAll(async () => {
    node = await startNode();
    root = join(node.folder, 'kubelet');
    await startAgent();
  });
  afterEach(async () => {
    desire();
    await waitFor('nothing runs', async () => !(await hasRunningPods(node.cri)));
    await waitFor('nothing is mounted', async () => (await mountsBelow(root)).length === 0);
    await waitFor('no sandbox is left', async () => (await node.cri.runtime.listPodSandbox({})).items.length === 0);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  const pod = (name: string, spec: Partial<PodSpec>): Pod =>
    manifestPod(name, {
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: (spec.containers ?? []).map((container) => ({ ...shell(untilStopped()), ...container })),
    });
  const containerOf = async (name: string): Promise<string> => {
    const found = await waitFor(`${name} runs`, async () => {
      const filter = { labelSelector: { 'io.kubernetes.pod.name': name } };
      const { containers } = await node.cri.runtime.listContainers({ filter });
      return containers.find(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    });
    return found.id;
  };
  const run = async (containerId: string, script: string): Promise<string> => {
    const { stdout, stderr, exitCode } = await node.cri.runtime.execSync({ containerId, cmd: ['sh', '-c', script] });
    const text = new TextDecoder().decode(stdout);
    return exitCode === 0 ? text.trimEnd() : `${text}${new TextDecoder().decode(stderr)}exit ${String(exitCode)}`;
  };

  it('show the right content, owner and mode from inside, and are gone afterwards', async () => {
    const host = join(node.folder, 'host');
    await mkdir(join(host, 'below'), { recursive: true });
    await writeFile(join(host, 'below/file'), 'from the host');
    configMaps.set('settings', { data: { 'app.conf': 'level=info' } });
    secrets.set('token', { data: { key: base64('hidden') } });
    const fields = [{ path: 'name', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }];
    const mount = (name: string, extra: object = {}) => ({ name, mountPath: `/v/${name}`, ...extra });
    desire(
      pod('all', {
        securityContext: { runAsUser: 1000, fsGroup: 2000 },
        containers: [
          {
            name: 'app',
            volumeMounts: [
              ...['disk', 'memory', 'config', 'secret', 'about', 'projected'].map((name) => mount(name)),
              mount('host', { readOnly: true }),
              { name: 'host', mountPath: '/v/sub', subPath: 'below/file' },
              { name: 'disk', mountPath: '/v/made', subPathExpr: 'logs/$(POD)' },
            ],
            env: [{ name: 'POD', valueFrom: { fieldRef: fields[0]!.fieldRef } }],
          },
        ],
        volumes: [
          { name: 'disk', emptyDir: {} },
          { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
          { name: 'host', hostPath: { path: host, type: 'Directory' } },
          { name: 'config', configMap: { name: 'settings', defaultMode: 0o644 } },
          { name: 'secret', secret: { secretName: 'token', defaultMode: 0o400 } },
          { name: 'about', downwardAPI: { defaultMode: 0o644, items: fields } },
          {
            name: 'projected',
            projected: {
              defaultMode: 0o440,
              sources: [
                { secret: { name: 'token', items: [{ key: 'key', path: 'keys/a', mode: 0o600 }] } },
                { configMap: { name: 'settings' } },
              ],
            },
          },
        ],
      }),
    );
    const id = await containerOf('all');
    const inside = (script: string): Promise<string> => run(id, script);
    expect(await inside('id')).toMatch(/^uid=1000 gid=0\(root\) groups=.*2000/);
    expect(await inside('cd /v; stat -c "%n %a %u:%g" disk memory secret/..data/key config/..data/app.conf')).toBe(
      [
        'disk 2777 0:2000',
        'memory 3777 0:2000',
        'secret/..data/key 440 0:2000',
        'config/..data/app.conf 644 0:2000',
      ].join('\n'),
    );
    expect(await inside('cd /v; cat config/app.conf secret/key about/name projected/keys/a projected/app.conf')).toBe(
      'level=infohiddenallhiddenlevel=info',
    );
    expect(await inside('stat -c %a /v/projected/..data/keys/a')).toBe('640');
    expect(await inside('cat /v/host/below/file /v/sub')).toBe('from the hostfrom the host');
    expect(await inside('echo x > /v/host/new')).toContain('Read-only file system');
    expect(await inside('echo x > /v/secret/new')).toContain('Read-only file system');
    expect(await inside('echo x > /v/made/file; cat /v/disk/logs/all/file; stat -c %g /v/disk/logs/all/file')).toBe(
      'x\n2000',
    );
    expect(await inside('dd if=/dev/zero of=/v/memory/large bs=1M count=2')).toContain('No space left');
    expect(await inside('grep " /v/memory " /proc/mounts')).toMatch(/^tmpfs \/v\/memory tmpfs rw,.*size=1024k/);
    expect(await mountsBelow(root)).not.toEqual([]);

    desire();
    await waitFor('the directory of the pod is gone', async () => !(await exists(join(root, 'pods/uid-all-1'))));
    expect(await mountsBelow(root)).toEqual([]);
    expect(await readFile(join(host, 'below/file'), 'utf8')).toBe('from the host');
    expect(agent!.events.list().filter(({ reason }) => /FailedMount|FailedKillPod/.test(reason))).toEqual([]);
  });

  it('finds volumes of CSI drivers and of the node through claims and keeps their content', async () => {
    const storage = join(node.folder, 'storage');
    const local = join(node.folder, 'local');
    await mkdir(local, { recursive: true });
    await using driver = createTestDriver({
      name: DRIVER,
      mounts: createDiskMounts(storage),
      capabilities: ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS'],
    });
    await driver.listen(join(root, 'plugins_registry/driver.sock'));
    claimed.set('disk', { csi: { driver: DRIVER, volumeHandle: 'disk-1', fsType: 'ext4' } });
    claimed.set('local', { local: { path: local } });
    const names = ['inline', 'disk', 'local'];
    const withClaims = (name: string): Pod =>
      pod(name, {
        securityContext: { runAsUser: 1000, fsGroup: 2000 },
        containers: [{ name: 'app', volumeMounts: names.map((volume) => ({ name: volume, mountPath: `/${volume}` })) }],
        volumes: [
          { name: 'inline', csi: { driver: DRIVER, volumeAttributes: { size: '1Gi' } } },
          { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
          { name: 'local', persistentVolumeClaim: { claimName: 'local' } },
        ],
      });
    desire(withClaims('first'), withClaims('second'));
    const [first, second] = [await containerOf('first'), await containerOf('second')];
    // An inline volume without a type of file system is the driver's own matter.
    expect((await run(first, 'stat -c "%n %a %u:%g" /inline /disk /local')).split('\n')).toEqual([
      '/inline 755 0:0',
      '/disk 2775 0:2000',
      '/local 2775 0:2000',
    ]);
    expect(await run(first, 'echo row > /disk/file; echo row > /local/file; stat -c %g /disk/file')).toBe('2000');
    expect(await run(second, 'cat /disk/file /local/file')).toBe('row\nrow');
    expect(driver.calls.filter(({ method }) => method === 'NodeStageVolume')).toHaveLength(1);
    const published = driver.calls.filter(({ method }) => method === 'NodePublishVolume');
    expect(published.map(({ request }) => request['volumeContext'])).toContainEqual(
      expect.objectContaining({ size: '1Gi', 'csi.storage.k8s.io/pod.name': 'first' }),
    );

    // The next agent finds the driver again, and removes what the earlier one has mounted.
    await agent![Symbol.asyncDispose]();
    desired = [];
    await startAgent();
    await waitFor('nothing is mounted', async () => (await mountsBelow(root)).length === 0);
    expect(driver.calls.at(-1)?.method).toBe('NodeUnstageVolume');
    expect(await readFile(join(storage, 'disk-1/file'), 'utf8')).toBe('row\n');
    expect(await readFile(join(local, 'file'), 'utf8')).toBe('row\n');
  });

  it('passes volumes of mode Block as devices and removes them with their pods', async () => {
    const storage = join(node.folder, 'devices');
    const mounts = createDiskMounts(storage);
    await using driver = createTestDriver({ name: DRIVER, mounts, capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    await driver.listen(join(root, 'plugins_registry/driver.sock'));
    const path = await mounts.makeDevice!('local');
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => mounts.removeDevice!('local'));
    claimed.set('disk', { volumeMode: 'Block', csi: { driver: DRIVER, volumeHandle: 'disk-1' } });
    claimed.set('local', { volumeMode: 'Block', local: { path } });
    const withDevices = (name: string, readOnly: boolean): Pod =>
      pod(name, {
        containers: [
          {
            name: 'app',
            volumeDevices: ['disk', 'local'].map((volume) => ({ name: volume, devicePath: `/dev/of/${volume}` })),
          },
        ],
        volumes: ['disk', 'local'].map((claimName) => ({
          name: claimName,
          persistentVolumeClaim: { claimName, readOnly },
        })),
      });
    desire(withDevices('writer', false), withDevices('reader', true));
    const [writer, reader] = [await containerOf('writer'), await containerOf('reader')];
    expect(await run(writer, 'cd /dev/of; stat -c %F disk local')).toBe('block special file\nblock special file');
    await run(writer, 'cd /dev/of; for name in disk local; do echo row > $name; sync $name; done');
    expect(await run(reader, 'cd /dev/of; head -c 3 disk; head -c 3 local')).toBe('rowrow');
    expect(await run(reader, 'echo no > /dev/of/disk')).toMatch(/Operation not permitted|Permission denied/);
    const backings = async (): Promise<readonly string[]> => {
      const { stdout } = await promisify(execFile)('losetup', ['--noheadings', '--output', 'BACK-FILE', '--list']);
      return stdout.split('\n').filter((file) => file.startsWith(node.folder));
    };
    expect((await backings()).filter((file) => file.includes('/volumeDevices/'))).toHaveLength(4);

    // The next agent removes what the earlier one has mapped.
    await agent![Symbol.asyncDispose]();
    desired = [];
    await startAgent();
    await waitFor('nothing is mounted', async () => (await mountsBelow(root)).length === 0);
    await waitFor('the driver has unstaged', async () => driver.calls.at(-1)?.method === 'NodeUnstageVolume');
    await waitFor('only the local device is left', async () => (await backings()).length === 1);
    const written = await readFile(join(storage, 'disk-1.img'));
    expect(written.subarray(0, 4).toString()).toBe('row\n');
  });

  it('follow an edited Secret while the container runs', async () => {
    secrets.set('edited', { data: { key: base64('one') } });
    desire(
      pod('follower', {
        containers: [{ name: 'app', volumeMounts: [{ name: 'secret', mountPath: '/secret' }] }],
        volumes: [{ name: 'secret', secret: { secretName: 'edited', defaultMode: 0o644 } }],
      }),
    );
    const id = await containerOf('follower');
    expect(await run(id, 'cat /secret/key')).toBe('one');
    secrets.set('edited', { data: { key: base64('two'), more: base64('new') } });
    changes.emit('uid-follower-1');
    await waitFor('the change arrives', async () => (await run(id, 'cat /secret/key /secret/more')) === 'twonew');
  });

  it('survive a restart of the agent, and are removed when the pod ended meanwhile', async () => {
    const memory = {
      containers: [{ name: 'app', volumeMounts: [{ name: 'memory', mountPath: '/memory' }] }],
      volumes: [{ name: 'memory', emptyDir: { medium: 'Memory' as const } }],
    };
    desire(pod('kept', memory), pod('removed', memory));
    const [kept] = [await containerOf('kept'), await containerOf('removed')];
    await run(kept, 'echo state > /memory/file');
    await agent![Symbol.asyncDispose]();
    desired = desired.slice(0, 1);
    await startAgent();
    await waitFor('the volumes of the other pod are gone', async () => (await mountsBelow(root)).length === 1);
    expect(await run(kept, 'cat /memory/file')).toBe('state');
    expect(await containerOf('kept')).toBe(kept);
  });

  it('reject a sub path that a link leads out of the volume', async () => {
    const host = join(node.folder, 'links');
    await mkdir(host);
    await symlink('/etc', join(host, 'escape'));
    desire(
      pod('escaping', {
        containers: [{ name: 'app', volumeMounts: [{ name: 'host', mountPath: '/v', subPath: 'escape/passwd' }] }],
        volumes: [{ name: 'host', hostPath: { path: host } }],
      }),
    );
    await waitFor('it is rejected', async () => {
      const waiting = agent!.pods.list()[0]?.status?.containerStatuses?.[0]?.state?.waiting;
      return waiting?.message === 'failed to prepare subPath for volumeMount "host" of container "app"';
    });
  });
});

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
