import { provide } from '@rxlet/agent-api';
import { podObjects } from '@rxlet/agent-api/kube';
import { createEmitter } from '@rxlet/component-base/streams';
import type { ConfigMap, PodSpec, Secret, Volume } from '@rxlet/kube-api';
import { manifestPod } from '@rxlet/pod-model/testing';
import { memoryVolumes } from '@rxlet/volume-manager/testing';
import { volumes, type VolumesOptions } from '@rxlet/volume-manager';
import { afterEach, describe, expect, it } from 'vitest';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

const nodes: TestNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) {
    await node.expectNoLeaks();
    await node[Symbol.asyncDispose]();
  }
});

/** A node with objects of the API, and its mounts. */
function createVolumeNode() {
  const node = createTestNode();
  nodes.push(node);
  const mounts = memoryVolumes(node.files);
  const objects = { configMaps: new Map<string, ConfigMap>(), secrets: new Map<string, Secret>() };
  const changes = createEmitter<string>();
  const service = {
    configMap: async (_pod: unknown, name: string) => objects.configMaps.get(name),
    secret: async (_pod: unknown, name: string) => objects.secrets.get(name),
    changes$: changes.values$,
  };
  const api = contributing({ services: [provide(podObjects, service)] }, 'api objects');
  const start = (options: VolumesOptions = {}) => node.start({ modules: [api, volumes({ ...mounts, ...options })] });
  return { node, mounter: mounts.mounter, objects, changes, start };
}

/** A pod whose container mounts each volume at `/<name>`. */
function podWith(name: string, volumeList: readonly Volume[], spec: Partial<PodSpec> = {}) {
  const volumeMounts = volumeList.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
  const containers = [{ name: 'app', image: 'app:1', volumeMounts }];
  return manifestPod(name, { containers, volumes: [...volumeList], ...spec });
}

const uidOf = (name: string) => `uid-${name}-1`;
const volumePath = (name: string, plugin: string, volume: string) =>
  `/root/pods/${uidOf(name)}/volumes/kubernetes.io~${plugin}/${volume}`;
const warnings = ({ node }: ReturnType<typeof createVolumeNode>) =>
  node
    .agent()
    .events.list()
    .filter(({ type }) => type === 'Warning')
    .map(({ reason, message }) => `${reason}: ${message}`);

describe('volumes', () => {
  it('appear before the containers and disappear after the pod', async () => {
    const { node, mounter, objects, start } = createVolumeNode();
    objects.configMaps.set('settings', { data: { 'app.conf': 'level=info' } });
    objects.secrets.set('token', { data: { key: Buffer.from('hidden').toString('base64') } });
    node.files.putDirectory('/data');
    await start();
    node.desire(
      podWith('web', [
        { name: 'scratch', emptyDir: {} },
        { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
        { name: 'host', hostPath: { path: '/data', type: 'Directory' } },
        { name: 'config', configMap: { name: 'settings', defaultMode: 0o644 } },
        { name: 'secret', secret: { secretName: 'token', defaultMode: 0o400 } },
        {
          name: 'about',
          downwardAPI: { defaultMode: 0o644, items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
        },
      ]),
    );
    await node.until(() => node.running().length === 1);

    const [container] = node.instances('web');
    expect(
      container?.mounts.map(({ containerPath, hostPath, readonly }) => [containerPath, hostPath, readonly]),
    ).toEqual(
      expect.arrayContaining([
        ['/scratch', volumePath('web', 'empty-dir', 'scratch'), false],
        ['/memory', volumePath('web', 'empty-dir', 'memory'), false],
        ['/host', '/data', false],
        ['/config', volumePath('web', 'configmap', 'config'), true],
        ['/secret', volumePath('web', 'secret', 'secret'), true],
        ['/about', volumePath('web', 'downward-api', 'about'), true],
      ]),
    );
    expect(node.files.text(`${volumePath('web', 'configmap', 'config')}/app.conf`)).toBe('level=info');
    expect(node.files.text(`${volumePath('web', 'secret', 'secret')}/key`)).toBe('hidden');
    expect(node.files.text(`${volumePath('web', 'downward-api', 'about')}/name`)).toBe('web');
    expect(node.files.info(volumePath('web', 'empty-dir', 'scratch'))?.mode).toBe(0o777);
    expect(mounter.requests.find(({ target }) => target.endsWith('/memory'))).toMatchObject({
      source: 'tmpfs',
      fsType: 'tmpfs',
      options: ['size=1048576', 'noswap'],
    });
    expect(mounter.targets.toSorted()).toEqual([
      volumePath('web', 'downward-api', 'about'),
      volumePath('web', 'empty-dir', 'memory'),
      volumePath('web', 'secret', 'secret'),
    ]);

    node.files.put(`${volumePath('web', 'empty-dir', 'scratch')}/result`, 'x');
    node.desire();
    await node.until(() => node.files.info('/root/pods/' + uidOf('web')) === undefined);
    expect(mounter.targets).toEqual([]);
    expect(node.files.info('/data')).toBeDefined();
    expect(
      node
        .agent()
        .events.list()
        .map(({ reason }) => reason),
    ).not.toContain('FailedKillPod');
  });

  it.each([
    [true, false, 1],
    [true, true, 0],
    [false, false, 0],
  ])('in memory that may be swapped are an event: node swaps %s, noswap %s', async (swaps, supportsNoSwap, count) => {
    const { node, start } = createVolumeNode();
    const head = 'Filename\tType\tSize\tUsed\tPriority\n';
    node.files.put('/proc/swaps', swaps ? `${head}/dev/sda2 partition 1048572 0 -2\n` : head);
    await start({ supportsNoSwap });
    const events = node.agent().events.list();
    const warned = events.filter(({ reason }) => reason === 'PossibleMemoryBackedVolumesOnDisk');
    expect(warned).toMatchObject(Array.from({ length: count }, () => ({ type: 'Warning', object: { kind: 'Node' } })));
  });

  it('keep a pod waiting for a missing object with events, and let it start as soon as the object appears', async () => {
    const made = createVolumeNode();
    const { node, objects, changes, start } = made;
    await start();
    node.desire(podWith('web', [{ name: 'config', configMap: { name: 'late', defaultMode: 0o644 } }]));
    await node.advance(130_000);
    expect(node.running()).toEqual([]);
    expect(warnings(made)[0]).toBe(
      'FailedMount: MountVolume.SetUp failed for volume "config" : configmap "late" not found',
    );
    expect(node.logger.lines.map(({ fields }) => fields?.['error'])).toContain(
      'unmounted volumes=[config], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
    const [pod] = node.agent().pods.list();
    expect(pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ContainerCreating');

    objects.configMaps.set('late', { data: { a: '1' } });
    changes.emit(uidOf('web'));
    await node.advance(5_000);
    expect(node.running()).toEqual(['web/app']);
  });

  it('follow a changed object without a restart of the container', async () => {
    const { node, objects, changes, start } = createVolumeNode();
    objects.secrets.set('token', { data: { key: Buffer.from('one').toString('base64') } });
    await start();
    node.desire(podWith('web', [{ name: 'secret', secret: { secretName: 'token', defaultMode: 0o400 } }]));
    await node.until(() => node.running().length === 1);
    objects.secrets.set('token', { data: { key: Buffer.from('two').toString('base64') } });
    changes.emit(uidOf('web'));
    await node.until(() => node.files.text(`${volumePath('web', 'secret', 'secret')}/key`) === 'two', 5_000);
    expect(node.instances('web')).toHaveLength(1);
  });

  it('survive a kill of the agent with their content', async () => {
    const { node, mounter, objects, start } = createVolumeNode();
    objects.secrets.set('token', { data: { key: Buffer.from('one').toString('base64') } });
    await start();
    node.desire(
      podWith('web', [
        { name: 'secret', secret: { secretName: 'token', defaultMode: 0o400 } },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
      ]),
    );
    await node.until(() => node.running().length === 1);
    node.files.put(`${volumePath('web', 'empty-dir', 'memory')}/state`, 'kept');
    const before = mounter.requests.length;
    await node.kill();
    await start();
    await node.advance(10_000);
    expect(node.files.text(`${volumePath('web', 'empty-dir', 'memory')}/state`)).toBe('kept');
    expect(mounter.requests).toHaveLength(before);
    expect(node.instances('web')).toHaveLength(1);
  });

  it('disappear for pods that ended while no agent ran', async () => {
    const { node, mounter, start } = createVolumeNode();
    await start();
    node.desire(podWith('web', [{ name: 'memory', emptyDir: { medium: 'Memory' } }]));
    await node.until(() => node.running().length === 1);
    await node.kill();
    node.desire();
    await start();
    await node.until(() => mounter.targets.length === 0);
    await node.until(() => node.files.info('/root/pods/' + uidOf('web')) === undefined);
  });

  it('delay neither the end of their pod nor its successor when they cannot be unmounted, and disappear later', async () => {
    const { node, mounter, start } = createVolumeNode();
    await start();
    node.desire(podWith('web', [{ name: 'memory', emptyDir: { medium: 'Memory' } }]));
    await node.until(() => node.running().length === 1);
    mounter.fault = (operation) => {
      if (operation === 'unmount') throw new Error('target is busy');
    };
    node.desire();
    await node.until(() => node.agent().pods.list().length === 0, 60_000);
    expect(mounter.targets).toHaveLength(1);
    mounter.fault = undefined;
    await node.until(() => mounter.targets.length === 0, 300_000);
    await node.until(() => node.files.info('/root/pods/' + uidOf('web')) === undefined);
  });

  it('reject the pod by their field when no plugin handles their kind', async () => {
    const { node, start } = createVolumeNode();
    await start();
    node.desire(
      podWith('web', [{ name: 'data', iscsi: { targetPortal: '192.0.2.9', iqn: 'iqn.2026-01.example:disk', lun: 0 } }]),
    );
    await node.advance(1_000);
    expect(node.agent().pods.list()[0]?.status?.message).toContain('spec.volumes[0].iscsi');
  });
});
