import { type AgentModule, contribute, provide } from '@rxlet/agent-api';
import {
  persistentVolumes,
  podVolumeUsage,
  volumePlugins,
  type VolumePluginSet,
  type VolumeSourceName,
} from '@rxlet/agent-api/volumes';
import type { PodSpec, Volume } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { manifestPod } from '@rxlet/pod-model/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

const PLUGIN = 'example.com/ramdisk';
const path = '/root/pods/uid-web-1/volumes/example.com~ramdisk/data';

/** A module of a third party: volumes of the FlexVolume driver `ramdisk` are file systems in memory. */
function ramdisks(calls: string[], sources: readonly VolumeSourceName[] = ['flexVolume']): AgentModule {
  return {
    name: 'ramdisks',
    setup: ({ files }) => {
      const plugins: VolumePluginSet = {
        sources,
        create: ({ paths, mounts }) => [
          {
            name: PLUGIN,
            field: 'flexVolume',
            mode: 'Filesystem',
            refreshes: false,
            volume({ name, persistent, flexVolume }, pod) {
              const target = paths.volume(podUid(pod), PLUGIN, name);
              const { options = {} } = persistent?.spec.flexVolume ?? flexVolume ?? {};
              const readOnly = persistent?.readOnly ?? false;
              return {
                hostPath: target,
                attributes: { readOnly, managed: true, seLinuxRelabel: true },
                async setUp(signal) {
                  calls.push(`set up ${name}`);
                  if ((await mounts.at(target)) !== undefined) return;
                  await files.makeDirectory(target, 0o750);
                  const size = `size=${options['size'] ?? '1Mi'}`;
                  await mounts.mount({ source: 'tmpfs', target, fsType: 'tmpfs', options: [size] }, signal);
                },
              };
            },
            async usage(uid, name, { onDriver }) {
              onDriver('ramdisk');
              const isMounted = (await mounts.at(paths.volume(uid, PLUGIN, name))) !== undefined;
              return isMounted ? { usedBytes: 4096, inodes: 1 } : undefined;
            },
            recordedVolumes: async (uid) =>
              (await files.list(paths.pluginVolumes(uid, PLUGIN))).map((name) => {
                calls.push(`found ${name}`);
                return { isDamaged: false };
              }),
            async tearDown(uid, name, signal) {
              calls.push(`tear down ${name}`);
              await mounts.remove(paths.volume(uid, PLUGIN, name), signal);
            },
          },
        ],
      };
      return { contributions: [contribute(volumePlugins, plugins)] };
    },
  };
}

const nodes: TestNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) {
    await node.expectNoLeaks();
    await node[Symbol.asyncDispose]();
  }
});

function createNode(): TestNode {
  const node = createTestNode();
  nodes.push(node);
  return node;
}

const podWith = (volume: Omit<Volume, 'name'>, spec: Partial<PodSpec> = {}) =>
  manifestPod('web', {
    containers: [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', ...volume }],
    ...spec,
  });
const flexVolume = { driver: 'example.com/ramdisk', options: { size: '8Mi' } };

describe('a module that contributes a kind of volumes', () => {
  it('makes pods with such volumes run, from their set-up until their teardown, across a restart of the agent', async () => {
    const node = createNode();
    const calls: string[] = [];
    await node.start({ modules: [ramdisks(calls)] });
    node.desire(podWith({ flexVolume }));
    await node.until(() => node.running().includes('web/app'));
    const [app] = node.instances('web');
    expect(app?.mounts).toContainEqual(expect.objectContaining({ containerPath: '/data', hostPath: path }));
    const mounted = async () => (await node.mounter.mounts()).at(path);
    expect(await mounted()).toMatchObject({ fsType: 'tmpfs', options: ['size=8Mi'] });

    await node.kill();
    await node.start({ modules: [ramdisks(calls)] });
    await node.advance(10_000);
    expect(calls).toEqual(['set up data', 'found data', 'set up data']);
    expect(node.startsMs('web')).toHaveLength(1);
    expect((await node.mounter.mounts()).within(path)).toHaveLength(1);

    node.desire();
    await node.until(() => node.files.info('/root/pods/uid-web-1') === undefined);
    expect(calls.at(-1)).toBe('tear down data');
    expect(await mounted()).toBeUndefined();
  });

  it('serves persistent volumes of its source', async () => {
    const node = createNode();
    const claims = provide(persistentVolumes, {
      claim: async () => ({ metadata: { uid: 'c' }, spec: { volumeName: 'pv1' }, status: { phase: 'Bound' } }),
      volume: async () => ({ metadata: { name: 'pv1' }, spec: { claimRef: { uid: 'c' }, flexVolume } }),
    });
    await node.start({ modules: [contributing({ services: [claims] }, 'claims'), ramdisks([])] });
    node.desire(podWith({ persistentVolumeClaim: { claimName: 'disk' } }));
    await node.until(() => node.running().includes('web/app'));
    const table = await node.mounter.mounts();
    expect(table.at('/root/pods/uid-web-1/volumes/example.com~ramdisk/pv1')?.options).toEqual(['size=8Mi']);
  });

  it('measures its volumes', async () => {
    const node = createNode();
    let usage: unknown;
    const reader: AgentModule = {
      name: 'reader',
      needs: [podVolumeUsage],
      setup({ services }) {
        usage = () => services.get(podVolumeUsage).usage('uid-web-1');
        return {};
      },
    };
    await node.start({ modules: [ramdisks([]), reader] });
    node.desire(podWith({ flexVolume }));
    await node.until(() => node.running().includes('web/app'));
    expect(await (usage as () => Promise<unknown>)()).toEqual(new Map([['data', { usedBytes: 4096, inodes: 1 }]]));
  });

  it('is needed by pods with such volumes', async () => {
    const node = createNode();
    await node.start();
    node.desire(podWith({ flexVolume }));
    await node.untilPhase('web', 'Failed');
    expect(node.agent().pods.get('uid-web-1')?.status).toMatchObject({
      reason: 'PodFeatureUnsupported',
      message: expect.stringContaining('spec.volumes[0].flexVolume') as unknown,
    });
  });

  it('does not make its pods run in an agent without the module that mounts volumes', async () => {
    const node = createNode();
    await node.start({ modules: [ramdisks([])], without: ['volumes'] });
    node.desire(podWith({ flexVolume }));
    await node.untilPhase('web', 'Failed');
  });

  it('cannot replace a kind of another module, or a standard one', async () => {
    const node = createNode();
    await expect(node.start({ modules: [ramdisks([], ['csi'])] })).rejects.toThrow(
      /contributes the volume source "csi" already/,
    );
    await expect(node.start({ modules: [ramdisks([], ['nfs'])] })).rejects.toThrow(
      'cannot add a volume plugin for the source "nfs": the plugin kubernetes.io/nfs has it already',
    );
  });
});
