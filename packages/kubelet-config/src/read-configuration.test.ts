import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { KubeletConfigurationError } from '@rxlet/component-base/kubelet-configuration';
import type { LoadedConfiguration } from './load-configuration.ts';
import { readConfiguration, type ReadConfigurationOptions } from './read-configuration.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const UNIFIED = { '/sys/fs/cgroup/cgroup.controllers': 'cpu memory' };

const read = (
  args: readonly string[],
  files: Record<string, string> = {},
  options?: ReadConfigurationOptions,
): Promise<LoadedConfiguration> => {
  const contents = Object.entries(files).map(([path, fields]): [string, string] => [path, HEAD + fields]);
  const { hostFiles } = createMemoryFiles({ files: { ...UNIFIED, ...Object.fromEntries(contents) } });
  return readConfiguration(hostFiles, args, options);
};

async function rejection(args: readonly string[], files: Record<string, string> = {}): Promise<string> {
  const error: unknown = await read(args, files).catch((reason: unknown) => reason);
  if (!(error instanceof KubeletConfigurationError)) throw new Error('the configuration was accepted');
  return `${error.stage}: ${error.message}`;
}

describe('readConfiguration', () => {
  it('joins the file, the drop-ins of all levels and the flags', async () => {
    const { configuration, skippedFiles } = await read(
      ['--config=/etc/kubelet.yaml', '--config-dir', '/etc/conf.d', '--container-log-max-files=4'],
      {
        '/etc/kubelet.yaml': 'staticPodPath: manifests\nregistryBurst: 2\ncontainerLogMaxFiles: 2\n',
        '/etc/conf.d/sub/20.conf': 'registryBurst: 3\ncontainerLogMaxFiles: 3\n',
        '/etc/conf.d/README': '',
      },
    );
    expect(configuration).toMatchObject({
      staticPodPath: '/etc/manifests',
      registryBurst: 3,
      containerLogMaxFiles: 4,
    });
    expect(skippedFiles).toEqual(['/etc/conf.d/README']);
  });

  it('starts whatever lies beside the drop-ins, and follows no link to a directory', async () => {
    const memory = createMemoryFiles({ files: { ...UNIFIED, '/elsewhere/10.conf': `${HEAD}registryBurst: 9\n` } });
    memory.put('/etc/conf.d/10.conf', `${HEAD}registryBurst: 3\n`);
    memory.put('/etc/conf.d/backup.tar', new Uint8Array(11 * 1024 * 1024));
    memory.putLink('/etc/conf.d/dangling', '/none');
    memory.putLink('/etc/conf.d/loop', '/etc/conf.d');
    memory.putLink('/etc/conf.d/other', '/elsewhere');
    memory.putLink('/etc/conf.d/20.conf', '/elsewhere/10.conf');
    memory.putSpecial('/etc/conf.d/socket', 'socket');
    const { configuration, skippedFiles } = await readConfiguration(memory.hostFiles, ['--config-dir=/etc/conf.d']);
    expect(configuration.registryBurst).toBe(9);
    const skipped = ['backup.tar', 'dangling', 'loop', 'other', 'socket'];
    expect(skippedFiles).toEqual(skipped.map((name) => `/etc/conf.d/${name}`));
  });

  it.each([
    [['--nope'], {}, 'flags: unknown flag: --nope'],
    [['--config=/none'], {}, 'read: cannot read the configuration file "/none" of --config: no such file'],
    [['--config-dir=/none'], {}, 'read: cannot read the directory "/none" of --config-dir: '],
    [['--config-dir=/file'], { '/file': '' }, 'read: cannot read the directory "/file" of --config-dir: it is not a'],
    [['--port=-1'], {}, 'validation: port -1 must be between 1 and 65535'],
    [
      ['--config=/file'],
      { '/file': 'evictionHard: {memory.available: much}\n' },
      'start: eviction threshold "much" of memory.available must be a quantity or a percentage',
    ],
    [['--kube-reserved=gpu=1'], {}, 'start: kubeReserved: cannot reserve gpu'],
  ])('rejects %j with files %j', async (args, files, problem) => {
    expect(await rejection(args, files)).toContain(problem);
  });

  it('reads the version of the cgroup file system', async () => {
    const onV1 = readConfiguration(createMemoryFiles({ files: {} }).hostFiles, []);
    await expect(onV1).rejects.toThrow(/cgroup/i);
    const { hostFiles } = createMemoryFiles({ files: {} });
    await expect(readConfiguration(hostFiles, [], { defaults: { failCgroupV1: false } })).resolves.toBeDefined();
    await expect(read([])).resolves.toBeDefined();
  });
});
