import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { createDriverRegistry, type CsiObjects, csiVolumes } from '@rxlet/csi';
import { createDiskMounts, createTestDriver } from '@rxlet/csi/testing';
import type { Pod, Volume } from '@rxlet/kube-api';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { createPluginWatcher, createSocketTransport } from '@rxlet/node-plugins';
import { createMountPrograms, createVolumeManager, type VolumeManager } from '@rxlet/volume-manager';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';

const NAME = 'csi.example.com';
const isRoot = process.getuid?.() === 0;
const { signal } = new AbortController();

function podWith(name: string, volume: Omit<Volume, 'name'>): Pod {
  const containers = [{ name: 'app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
  const spec = { containers, volumes: [{ name: 'data', ...volume }], securityContext: { fsGroup: 2345 } };
  return { metadata: { name, namespace: 'default', uid: `uid-${name}` }, spec };
}

describe.runIf(isRoot)('a CSI driver that binds directories', () => {
  it('serves volumes over its socket, which a later agent removes', async () => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'csi-')));
    const root = join(directory, 'root');
    await mkdir(join(root, 'plugins_registry'), { recursive: true });
    const storage = join(directory, 'storage');
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rm(directory, { recursive: true }));
    const mounter = createMountPrograms({ clock: systemClock });
    const mountPoints = async () =>
      (await mounter.mounts()).points.filter(({ target }) => target.startsWith(directory));
    stack.defer(async () => {
      for (const { target } of (await mountPoints()).toReversed()) await mounter.unmount(target);
    });
    const driver = stack.use(
      createTestDriver({
        name: NAME,
        mounts: createDiskMounts(storage),
        capabilities: ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS'],
      }),
    );
    await driver.listen(join(root, 'plugins_registry', 'driver.sock'));

    const transport = createSocketTransport();
    const hostFiles = createHostFiles();
    const drivers = createDriverRegistry({ clock: systemClock, transport }, []);
    const watcher = stack.use(
      createPluginWatcher(
        { clock: systemClock, logger: noopLogger, hostFiles, transport, handlers: [drivers.handler] },
        join(root, 'plugins_registry'),
      ),
    );
    watcher.start();
    await firstValueFrom(drivers.registered$.pipe(filter((list) => list.length > 0)));

    const createManager = async (): Promise<VolumeManager> => {
      const ports = { clock: systemClock, random: systemRandom, logger: noopLogger, events: noopEventRecorder };
      const volumeLifecycleModes = ['Ephemeral', 'Persistent'];
      const object = { spec: { attachRequired: false, volumeLifecycleModes, fsGroupPolicy: 'File' } };
      const objects: CsiObjects = {
        driver: async () => object,
        secret: async () => undefined,
        attachment: async () => Promise.reject(new Error('there is none')),
      };
      const files = createNodeFiles({ roots: [root] });
      const manager = createVolumeManager(
        {
          ...ports,
          files,
          hostFiles,
          mounter,
          sources: { allocatable: () => ({}) },
          plugins: () => [csiVolumes({ files, rootDirectory: root, nodeName: 'node1', drivers, objects })],
          persistentVolumes: {
            claim: async () => ({
              metadata: { uid: 'uid-claim' },
              spec: { volumeName: 'pv' },
              status: { phase: 'Bound' },
            }),
            volume: async () => ({
              metadata: { name: 'pv' },
              spec: {
                claimRef: { uid: 'uid-claim' },
                accessModes: ['ReadWriteOnce'],
                csi: { driver: NAME, volumeHandle: 'disk-1', fsType: 'ext4' },
              },
            }),
          },
        },
        { rootDirectory: root },
      );
      await manager.start();
      return manager;
    };

    const pods = [
      podWith('web', { csi: { driver: NAME } }),
      podWith('db', { persistentVolumeClaim: { claimName: 'disk' } }),
    ];
    {
      await using manager = await createManager();
      for (const pod of pods) await manager.prepare(pod, signal);
      const { hostPath } = manager.mountedVolumes('uid-db').get('data')!;
      expect((await stat(hostPath)).gid).toBe(2345);
      const limits = { capacityBytes: 10, availableBytes: 6, inodes: 0, inodesFree: 0 };
      expect(await manager.usage('uid-db')).toEqual(new Map([['data', { usedBytes: 4, inodes: 0, limits }]]));
      await writeFile(join(hostPath, 'row'), 'kept');
      expect(await readFile(join(storage, 'disk-1', 'row'), 'utf8')).toBe('kept');
    }
    {
      await using manager = await createManager();
      for (const { metadata } of pods) await manager.tearDown(metadata!.uid!, signal);
    }
    expect(await mountPoints()).toEqual([]);
    expect(await readFile(join(storage, 'disk-1', 'row'), 'utf8')).toBe('kept');
    await expect(stat(join(root, 'pods', 'uid-db', 'volumes'))).rejects.toThrow('ENOENT');
    expect(driver.calls.map(({ method }) => method).filter((method) => /Unpublish|Unstage/.test(method))).toEqual([
      'NodeUnpublishVolume',
      'NodeUnpublishVolume',
      'NodeUnstageVolume',
    ]);
  });
});
