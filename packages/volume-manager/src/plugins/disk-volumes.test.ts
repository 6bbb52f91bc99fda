import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { HostPathType, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createDiskBench, type DiskBench, isRoot } from '../test-support.ts';
import { localPlugin } from './local.ts';
import type { PluginContext } from './plugin-context.ts';
import { standardPlugins } from './standard-plugins.ts';
import type { MountableVolume } from '@rxlet/agent-api/volumes';

const { signal } = new AbortController();
const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: { containers: [{ name: 'app' }], securityContext: { fsGroup: 2000, runAsUser: 1000 } },
};

function volumeOf(bench: DiskBench, volume: MountableVolume) {
  const plugin = standardPlugins(bench.context).find(({ field }) => volume[field] !== undefined)!;
  if (plugin.mode !== 'Filesystem') throw new Error('containers mount the volume');
  const created = plugin.volume(volume, pod);
  return {
    path: created.hostPath,
    setUp: () => created.setUp(signal),
    tearDown: () => plugin.tearDown('u', volume.name),
  };
}

async function attributes(path: string): Promise<string> {
  const { mode, uid, gid } = await stat(path);
  return `${(mode & 0o7777).toString(8)} ${String(uid)}:${String(gid)}`;
}

describe.runIf(isRoot)('volumes on disk', () => {
  it('emptyDir is a directory for every user that keeps its content', async () => {
    await using bench = await createDiskBench();
    const volume = volumeOf(bench, { name: 'data', emptyDir: {} });
    await volume.setUp();
    expect(volume.path).toBe(`${bench.root}/pods/u/volumes/kubernetes.io~empty-dir/data`);
    expect(await attributes(volume.path)).toBe('2777 0:2000');
    expect(await attributes(`${bench.root}/pods/u/volumes`)).toBe('750 0:0');
    await writeFile(`${volume.path}/file`, 'kept');
    await volume.setUp();
    expect(await readFile(`${volume.path}/file`, 'utf8')).toBe('kept');
    await volume.tearDown();
    await volume.tearDown();
    expect(await readdir(`${bench.root}/pods/u/volumes/kubernetes.io~empty-dir`)).toEqual([]);
    expect(await readdir(`${bench.root}/pods/u/plugins/kubernetes.io~empty-dir`)).toEqual([]);
  });

  it('emptyDir in memory is a tmpfs with a limit', async () => {
    await using bench = await createDiskBench();
    const volume = volumeOf(bench, { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '64Ki' } });
    await volume.setUp();
    await volume.setUp();
    expect((await bench.context.mounter.mounts()).within(bench.root)).toHaveLength(1);
    expect((await bench.context.mounts.at(volume.path))?.options).toContain('size=64k');
    expect(await attributes(volume.path)).toBe('3777 0:2000');
    await expect(writeFile(`${volume.path}/large`, Buffer.alloc(100_000))).rejects.toThrow('ENOSPC');
    await volume.tearDown();
    expect((await bench.context.mounter.mounts()).within(bench.root)).toEqual([]);
    await expect(stat(volume.path)).rejects.toThrow('ENOENT');
  });

  it('files of the API have their modes, group and owner, and are replaced in one step', async () => {
    await using bench = await createDiskBench();
    const secrets = new Map([['token', { data: { key: Buffer.from('one').toString('base64') } }]]);
    const objects = { configMap: async () => undefined, secret: async (_pod: Pod, name: string) => secrets.get(name) };
    const withObjects = { ...bench, context: { ...bench.context, sources: { ...bench.context.sources, objects } } };
    const definition = { name: 'secret', secret: { secretName: 'token', defaultMode: 0o400 } };
    const volume = volumeOf(withObjects, definition);
    await volume.setUp();
    expect((await bench.context.mounts.at(volume.path))?.fsType).toBe('tmpfs');
    expect(await attributes(`${volume.path}/key`)).toBe('440 0:2000');
    const [version] = (await readdir(volume.path)).filter((name) => /^\.\.\d/.test(name));
    await volume.setUp();
    expect(await readdir(volume.path)).toContain(version);
    secrets.set('token', { data: { key: Buffer.from('two').toString('base64') } });
    await volume.setUp();
    expect(await readFile(`${volume.path}/key`, 'utf8')).toBe('two');
    expect((await readdir(volume.path)).filter((name) => name.startsWith('..'))).toHaveLength(2);
    secrets.clear();
    await expect(volume.setUp()).rejects.toThrow('secret "token" not found');
    expect(await readFile(`${volume.path}/key`, 'utf8')).toBe('two');
    await volume.tearDown();
    expect((await bench.context.mounter.mounts()).within(bench.root)).toEqual([]);
  });

  it('an interrupted update is completed', async () => {
    await using bench = await createDiskBench();
    const volume = volumeOf(bench, {
      name: 'about',
      downwardAPI: { defaultMode: 0o644, items: [{ path: 'a/name', fieldRef: { fieldPath: 'metadata.name' } }] },
    });
    await volume.setUp();
    const { files } = bench.context;
    // As left by an agent that was killed before it renamed the link.
    await files.makeDirectory(`${volume.path}/..2026_01_01_00_00_00.1`, 0o700);
    await files.symlink('..2026_01_01_00_00_00.1', `${volume.path}/..data_tmp`);
    await files.removeFile(`${volume.path}/a`);
    await volume.setUp();
    expect(await readFile(`${volume.path}/a/name`, 'utf8')).toBe('web');
    expect((await readdir(volume.path)).filter((name) => name.startsWith('..'))).toHaveLength(2);
    await volume.tearDown();
  });

  it('never removes what is mounted in a volume', async () => {
    await using bench = await createDiskBench();
    const volume = volumeOf(bench, { name: 'data', emptyDir: {} });
    await volume.setUp();
    const { files, mounter } = bench.context;
    await files.makeDirectory(`${bench.root}/precious`, 0o700);
    await files.writeFile(`${bench.root}/precious/file`, 'kept', 0o600);
    await files.makeDirectory(`${volume.path}/deep/target`, 0o700);
    await mounter.mount({ source: `${bench.root}/precious`, target: `${volume.path}/deep/target`, options: ['bind'] });
    await volume.tearDown();
    expect(await readFile(`${bench.root}/precious/file`, 'utf8')).toBe('kept');
    await expect(stat(volume.path)).rejects.toThrow('ENOENT');
  });

  it('local volumes are bound, and get the group of the pod unless another pod uses them', async () => {
    await using bench = await createDiskBench();
    const path = `${bench.directory}/data`;
    await bench.context.hostPaths.makeDirectory(path);
    await writeFile(`${path}/file`, 'kept', { mode: 0o600 });
    const volume = volumeOf(bench, {
      name: 'pv1',
      local: { path },
      persistent: { podVolumeName: 'vol', readOnly: false, mountOptions: [], spec: {} },
    });
    await volume.setUp();
    await volume.setUp();
    expect(volume.path).toBe(`${bench.root}/pods/u/volumes/kubernetes.io~local-volume/pv1`);
    expect(await readFile(`${volume.path}/file`, 'utf8')).toBe('kept');
    expect(await attributes(`${path}/file`)).toBe('660 0:2000');
    expect(await attributes(path)).toBe('2775 0:2000');

    const options = {
      podVolumeName: 'vol',
      readOnly: true,
      mountOptions: ['noexec'],
      spec: {},
    };
    const second = volumeOf(bench, { name: 'pv2', local: { path }, persistent: options });
    await second.setUp();
    expect((await bench.context.mounts.at(second.path))?.options).toEqual(expect.arrayContaining(['ro', 'noexec']));
    await expect(writeFile(`${second.path}/new`, '')).rejects.toThrow('EROFS');
    await second.tearDown();
    await volume.tearDown();
    await volume.tearDown();
    expect(await readFile(`${path}/file`, 'utf8')).toBe('kept');
    expect(await readdir(`${bench.root}/pods/u/volumes/kubernetes.io~local-volume`)).toEqual([]);

    const missing = volumeOf(bench, { name: 'pv3', local: { path: `${path}/missing` } });
    await expect(missing.setUp()).rejects.toThrow('/missing" does not exist');
  });

  it('a local volume is mounted beside one whose disk is broken', async () => {
    await using bench = await createDiskBench();
    const [broken, path] = ['broken', 'data'].map((name) => `${bench.directory}/${name}`) as [string, string];
    for (const source of [broken, path]) await bench.context.hostPaths.makeDirectory(source);
    const first = volumeOf(bench, { name: 'pv1', local: { path: broken } });
    await first.setUp();
    const hostFiles: PluginContext['hostFiles'] = {
      openDirectory: bench.context.hostFiles.openDirectory,
      async stat(target) {
        if (target === first.path) throw new Error(`EIO: i/o error, stat ${target}`);
        return bench.context.hostFiles.stat(target);
      },
    };
    const second = volumeOf({ ...bench, context: { ...bench.context, hostFiles } }, { name: 'pv2', local: { path } });
    await second.setUp();
    expect(await attributes(path)).toBe('2775 0:2000');
    await second.tearDown();
    await first.tearDown();
  });

  it('a local volume of two pods that start together gets their group', async () => {
    await using bench = await createDiskBench();
    const path = `${bench.directory}/disk`;
    await bench.context.hostPaths.makeDirectory(path);
    const plugin = localPlugin(bench.context);
    const volumes = ['one', 'two'].map((uid) =>
      plugin.volume(
        {
          name: 'pv',
          local: { path },
          persistent: { podVolumeName: 'vol', readOnly: false, mountOptions: [], spec: {} },
        },
        { metadata: { uid }, spec: { containers: [], securityContext: { fsGroup: 1234 } } },
      ),
    );
    const { signal } = new AbortController();
    await Promise.all(volumes.map((volume) => volume.setUp(signal)));
    expect(await attributes(path)).toBe('2775 0:1234');
  });

  it.each([
    ['Directory', 'directory', true],
    ['Directory', 'file', 'is not a directory'],
    ['Directory', 'missing', 'is not a directory'],
    ['File', 'file', true],
    ['File', 'directory', 'is not a file'],
    ['Socket', 'file', 'is not a socket file'],
    ['CharDevice', 'file', 'is not a character device'],
    ['BlockDevice', 'missing', 'is not a block device'],
    ['DirectoryOrCreate', 'missing/below', true],
    ['DirectoryOrCreate', 'file', 'is not a directory'],
    ['FileOrCreate', 'missing', true],
    ['FileOrCreate', 'directory', 'is not a file'],
    ['', 'missing', true],
    ['Odd', 'file', 'Odd is an invalid volume type'],
  ])('hostPath of type %j at a %s: %s', async (type, name, outcome) => {
    await using bench = await createDiskBench();
    const path = `${bench.directory}/${name}`;
    await bench.context.hostPaths.makeDirectory(`${bench.directory}/directory`);
    await bench.context.hostPaths.makeFile(`${bench.directory}/file`);
    const volume = volumeOf(bench, { name: 'host', hostPath: { path, type: type as HostPathType } });
    const failure: unknown = await volume.setUp().catch((error: unknown) => error);
    if (outcome === true) expect(failure).toBeUndefined();
    else expect((failure as Error).message).toContain(outcome);
    if (type.endsWith('OrCreate') && outcome === true)
      expect(await attributes(path)).toBe(type.startsWith('Dir') ? '755 0:0' : '644 0:0');
    await volume.tearDown();
  });
});
