import { createMemoryFiles } from '@rxlet/node-files/testing';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createTestHost } from '../test-support.ts';
import { CSI_PLUGIN } from './csi-names.ts';
import { csiVolumes } from './csi-volumes.ts';
import { writeVolumeData } from './volume-data.ts';

const RECORD = { driverName: 'csi.example.com', volumeHandle: 'disk-1' };

function createBench() {
  const { nodeFiles: files } = createMemoryFiles();
  const host = createTestHost(files, '/root');
  const { paths } = host;
  const drivers = {
    node: () => expect.unreachable(),
    configured: () => undefined,
    refresh: async () => undefined,
    registered$: NEVER,
  };
  const plugins = csiVolumes({ files, rootDirectory: '/root', nodeName: 'node1', drivers }).create(host);
  return {
    files,
    paths,
    async record(uid: string, data: Readonly<Record<string, string>>): Promise<string> {
      const directory = paths.volume(uid, CSI_PLUGIN, 'pv1');
      await files.makeDirectory(directory, 0o750);
      await writeVolumeData(files, directory, data);
      return directory;
    },
    recordsOf: async (uid: string) => (await Promise.all(plugins.map((one) => one.recordedVolumes!(uid)))).flat(),
    mayBeMounted: async (uid: string) =>
      (await Promise.all(plugins.map((one) => one.mayBeMounted!(uid, 'pv1')))).includes(true),
  };
}

describe('mayBeMounted', () => {
  it('is true for a persistent volume that an earlier agent has recorded for the pod', async () => {
    const { record, mayBeMounted, files, paths } = createBench();
    // A volume of the pod itself, which only has the same name.
    await record('inline', { ...RECORD, volumeLifecycleMode: 'Ephemeral' });
    expect(await mayBeMounted('inline')).toBe(false);
    const directory = await record('old', RECORD);
    expect(await mayBeMounted('old')).toBe(true);
    await files.replaceFile(`${directory}/vol_data.json`, '', 0o644);
    expect(await mayBeMounted('old')).toBe(true);
    await files.removeTree(`${paths.pods}/old`);
    expect(await mayBeMounted('old')).toBe(false);
  });

  it('is true for a block volume that is linked in the directory of the pod', async () => {
    const { files, paths, mayBeMounted } = createBench();
    await files.makeDirectory(paths.pluginVolumeDevices('old', CSI_PLUGIN), 0o750);
    await files.symlink('/dev/sda', paths.volumeDevice('old', CSI_PLUGIN, 'pv1'));
    expect(await mayBeMounted('old')).toBe(true);
    expect(await mayBeMounted('new')).toBe(false);
  });
});

describe('recordedVolumes', () => {
  it('has the name of a persistent volume in the status of the node', async () => {
    const { record, recordsOf } = createBench();
    await record('old', RECORD);
    await record('inline', { ...RECORD, volumeLifecycleMode: 'Ephemeral' });
    expect(await recordsOf('old')).toEqual([
      { isDamaged: false, attachedAs: 'kubernetes.io/csi/csi.example.com^disk-1' },
    ]);
    expect(await recordsOf('inline')).toEqual([{ isDamaged: false }]);
    expect(await recordsOf('new')).toEqual([]);
  });

  it('reports a damaged record', async () => {
    const { files, record, recordsOf } = createBench();
    await files.replaceFile(`${await record('old', RECORD)}/vol_data.json`, '{', 0o644);
    expect(await recordsOf('old')).toEqual([{ isDamaged: true }]);
  });
});
